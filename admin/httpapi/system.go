package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/sluice-gateway/sluice/openapi"
	"github.com/sluice-gateway/sluice/schemas"
)

// readyTimeout is short of the usual probe's own, so that the probe gets an answer.
const readyTimeout = 2 * time.Second

// Health is what a probe is told.
type Health struct {
	Status  string `json:"status" example:"ok"`
	Version string `json:"version" example:"1.0.0"`
} //	@name	Health

// @Summary	Tell whether the service lives
// @Tags		system
// @ID			livez
// @Success	200	{object}	Health
// @Router		/livez [get]
func (a *API) livez(c echo.Context) error {
	return respond(c, http.StatusOK, Health{"ok", a.version})
}

// @Summary		Tell whether the service can work
// @Description	It can when the store answers.
// @Tags			system
// @ID				readyz
// @Success		200	{object}	Health
// @Failure		503	{object}	Problem
// @Router			/readyz [get]
func (a *API) readyz(c echo.Context) error {
	select {
	case <-a.stopping:
		return problem(http.StatusServiceUnavailable, "stopping", "The service is stopping", "")
	default:
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), readyTimeout)
	defer cancel()
	if err := a.ping(ctx); err != nil {
		return err
	}
	return respond(c, http.StatusOK, Health{"ok", a.version})
}

// @Summary	Get this document
// @Tags		system
// @ID			openapi
// @Success	200	{object}	object
// @Router		/openapi.json [get]
func (a *API) openAPI(c echo.Context) error {
	return c.Blob(http.StatusOK, typeJSON, openapi.Document())
}

// @Summary	Read this document as a page
// @Tags		system
// @ID			docs
// @Produce	html
// @Success	200	{string}	string
// @Router		/docs [get]
func (a *API) docsPage(c echo.Context) error {
	w := &exceptMissing{ResponseWriter: c.Response()}
	a.docs.ServeHTTP(w, c.Request())
	if w.missing {
		return echo.ErrNotFound
	}
	return nil
}

// exceptMissing passes on every answer but a 404, in whose place the API gives its own.
type exceptMissing struct {
	http.ResponseWriter
	missing bool
}

// WriteHeader holds back a 404.
func (e *exceptMissing) WriteHeader(status int) {
	if e.missing = status == http.StatusNotFound; !e.missing {
		e.ResponseWriter.WriteHeader(status)
	}
}

// Write drops the text of a 404.
func (e *exceptMissing) Write(b []byte) (int, error) {
	if e.missing {
		return len(b), nil
	}
	return e.ResponseWriter.Write(b)
}

// @Summary	Get the JSON Schema of a kind of resource
// @Tags		system
// @ID			getSchema
// @Produce	application/schema+json
// @Param		file	path		string	true	"Name of the schema"	Enums(provider.schema.json, model.schema.json, routing.schema.json, api_key.schema.json)
// @Success	200		{object}	object
// @Failure	404		{object}	Problem
// @Router		/schemas/{file} [get]
func (a *API) schema(c echo.Context) error {
	kind, ok := strings.CutSuffix(c.Param("file"), ".schema.json")
	raw, found := schemas.Raw(kind)
	if !ok || !found {
		return echo.ErrNotFound
	}
	return c.Blob(http.StatusOK, "application/schema+json", raw)
}
