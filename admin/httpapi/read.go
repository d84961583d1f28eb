package httpapi

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/sluice-gateway/sluice/admin/catalog"
	"github.com/sluice-gateway/sluice/core"
)

const (
	defaultLimit = 100
	// maxLimit keeps an answer of ordinary resources (1 KiB) at about a megabyte.
	maxLimit = 1000
)

// List is one page of a list.
type List struct {
	Items []Item `json:"items"`
	// Revision is the store revision of the last change that the list shows.
	Revision int64 `json:"revision" example:"57"`
	// NextPageToken asks for the next page; absent on the last one.
	NextPageToken string `json:"next_page_token,omitempty" example:"eyJyIjo1NywiYSI6ImdwdCJ9"`
} //	@name	List

// Item is one resource of a list.
type Item struct {
	// ETag is that of the resource's own path.
	ETag string `json:"etag" example:"\"57\""`
	// Resource is null when the stored value is not a JSON object.
	Resource json.RawMessage `json:"resource" swaggertype:"object"`
} //	@name	Item

// list answers with one page of the resources of a kind.
func (a *API) list(c echo.Context, kind core.Kind) error {
	q, err := query(kind, c.QueryParams())
	if err != nil {
		return err
	}
	page, err := a.catalog.List(c.Request().Context(), q)
	if err != nil {
		return err
	}
	items := make([]Item, len(page.Entries))
	for i, e := range page.Entries {
		items[i] = Item{etag(e.Modified), e.Resource}
	}
	return respond(c, http.StatusOK, List{items, page.Revision, page.Next})
}

func query(kind core.Kind, v url.Values) (catalog.Query, error) {
	q := catalog.Query{Kind: kind, Limit: defaultLimit, Labels: map[string]string{}, Token: v.Get("page_token")}
	if v.Has("limit") {
		n, err := strconv.Atoi(v.Get("limit"))
		if err != nil || n < 1 || n > maxLimit {
			return q, badRequest("", "limit", "limit must be a number from 1 to "+strconv.Itoa(maxLimit))
		}
		q.Limit = n
	}
	for _, label := range v["label"] {
		name, value, ok := strings.Cut(label, "=")
		if !ok || name == "" {
			return q, badRequest("", "label", "label must be name=value")
		}
		if other, twice := q.Labels[name]; twice && other != value {
			return q, badRequest("", "label", "label "+strconv.Quote(name)+" is asked for with two values")
		}
		q.Labels[name] = value
	}
	return q, nil
}

// get answers with one resource, secrets masked.
func (a *API) get(c echo.Context, kind core.Kind) error {
	ref, err := refOf(c, kind)
	if err != nil {
		return err
	}
	cond, err := condition(c.Request().Header)
	if err != nil {
		return err
	}
	e, err := a.catalog.Get(c.Request().Context(), ref)
	if err != nil {
		return err
	}
	return conditional(c, e, cond)
}

func conditional(c echo.Context, e catalog.Entry, cond catalog.Condition) error {
	c.Response().Header().Set("ETag", etag(e.Modified))
	unless := catalog.Condition{Absent: cond.Absent, Not: cond.Not}
	cond.Absent, cond.Not = false, nil
	switch {
	case !cond.Holds(e.Modified):
		return catalog.ErrPrecondition
	case !unless.Holds(e.Modified):
		return c.NoContent(http.StatusNotModified)
	}
	return respond(c, http.StatusOK, e.Resource)
}

// refOf returns the resource that the path names. The id is decoded exactly once and then held to its
// grammar, which has no slash, percent sign or leading dot: no spelling can reach another resource.
func refOf(c echo.Context, kind core.Kind) (core.Ref, error) {
	id := c.Param("id")
	if c.Request().URL.RawPath != "" { // then the router has seen the path as it was sent
		decoded, err := url.PathUnescape(id)
		if err != nil {
			return core.Ref{}, badRequest("/id", "id", err.Error())
		}
		id = decoded
	}
	if err := core.CheckID(id); err != nil {
		return core.Ref{}, badRequest("/id", "id", err.Error())
	}
	return core.Ref{Kind: kind, ID: id}, nil
}

// respond answers with v as JSON.
func respond(c echo.Context, status int, v any) error {
	w := c.Response()
	w.Header().Set("Content-Type", typeJSON)
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
