package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
)

// route adds every route. The OpenAPI document names the same.
func (a *API) route() {
	e := a.echo
	for _, r := range []struct {
		collection                    string
		list, get, put, patch, remove echo.HandlerFunc
	}{
		{"providers", a.listProviders, a.getProvider, a.putProvider, a.patchProvider, a.deleteProvider},
		{"models", a.listModels, a.getModel, a.putModel, a.patchModel, a.deleteModel},
		{"profiles", a.listProfiles, a.getProfile, a.putProfile, a.patchProfile, a.deleteProfile},
		{"routings", a.listRoutings, a.getRouting, a.putRouting, a.patchRouting, a.deleteRouting},
		{"api-keys", a.listAPIKeys, a.getAPIKey, a.putAPIKey, a.patchAPIKey, a.deleteAPIKey},
	} {
		e.GET("/admin/v1/"+r.collection, r.list)
		e.GET("/admin/v1/"+r.collection+"/:id", r.get)
		e.PUT("/admin/v1/"+r.collection+"/:id", r.put)
		e.PATCH("/admin/v1/"+r.collection+"/:id", r.patch)
		e.DELETE("/admin/v1/"+r.collection+"/:id", r.remove)
	}
	e.GET("/admin/v1/fleet", a.getFleet)
	e.GET("/admin/v1/decisions/:id", a.getDecision)
	e.POST("/admin/v1/explain", a.explain)
	e.POST("/admin/v1/routings/:id"+verbCalibrate, a.postRouting)
	a.reading["/admin/v1/explain"] = true

	for path, h := range map[string]echo.HandlerFunc{
		"/livez":         a.livez,
		"/readyz":        a.readyz,
		"/openapi.json":  a.openAPI,
		"/schemas/:file": a.schema,
		"/docs":          a.docsPage,
		"/docs/*":        a.docsPage,
	} {
		a.public[path] = true
		e.Add(http.MethodGet, path, h)
	}
}

// allowHead adds HEAD, which withHead answers as GET, to the methods that a refusal names.
func allowHead(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		allow, _ := c.Get(echo.ContextKeyHeaderAllow).(string)
		if slices.Contains(strings.Split(allow, ", "), http.MethodGet) {
			c.Set(echo.ContextKeyHeaderAllow, allow+", "+http.MethodHead)
		}
		return next(c)
	}
}
