package httpapi

import (
	"context"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/sluice-gateway/sluice/admin/catalog"
	"github.com/sluice-gateway/sluice/core"
)

// writing is what the writer of a resource asks for.
type writing struct {
	ref  core.Ref
	cond catalog.Condition
	wait waiting
}

func (a *API) writing(c echo.Context, kind core.Kind) (writing, error) {
	ref, err := refOf(c, kind)
	if err != nil {
		return writing{}, err
	}
	cond, err := condition(c.Request().Header)
	if err != nil {
		return writing{}, err
	}
	wait, err := parseWait(c.QueryParams())
	return writing{ref, cond, wait}, err
}

// put stores the resource of the body under the id of the path.
func (a *API) put(c echo.Context, kind core.Kind) error {
	return a.store(c, kind, typeJSON, a.catalog.Put)
}

// patch changes the resource of the path by the merge patch of the body.
func (a *API) patch(c echo.Context, kind core.Kind) error {
	c.Response().Header().Set("Accept-Patch", typeMergePatch)
	return a.store(c, kind, typeMergePatch, a.catalog.Patch)
}

func (a *API) store(c echo.Context, kind core.Kind, mediaType string, write func(context.Context, core.Ref, []byte, catalog.Condition) (catalog.Written, error)) error {
	asked, err := a.writing(c, kind)
	if err != nil {
		return err
	}
	body, err := a.body(c, mediaType)
	if err != nil {
		return err
	}
	done, err := write(c.Request().Context(), asked.ref, body, asked.cond)
	if err != nil {
		return err
	}
	a.announce(c, done, asked.ref, asked.wait)
	c.Response().Header().Set("ETag", etag(done.Entry.Modified))
	if done.Created {
		c.Response().Header().Set("Location", "/admin/v1/"+kind.Plural()+"/"+url.PathEscape(asked.ref.ID))
		return respond(c, http.StatusCreated, done.Entry.Resource)
	}
	return respond(c, http.StatusOK, done.Entry.Resource)
}

// remove deletes the resource of the path.
func (a *API) remove(c echo.Context, kind core.Kind) error {
	asked, err := a.writing(c, kind)
	if err != nil {
		return err
	}
	done, err := a.catalog.Delete(c.Request().Context(), asked.ref, asked.cond)
	if err != nil {
		return err
	}
	a.announce(c, done, core.Ref{}, asked.wait)
	return c.NoContent(http.StatusNoContent)
}
