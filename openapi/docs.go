package openapi

import (
	"net/http"

	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"
)

// DocsPath is where the handler of Docs has to be routed, together with everything below it.
const DocsPath = "/docs"

// contentPolicy lets the page load and call nothing but the server that it came from. It starts by an
// inline script and draws with inline styles and data URLs.
const contentPolicy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// Docs returns the page that shows the OpenAPI document at specURL, with all that the page needs.
func Docs(specURL string) http.Handler {
	page := v5emb.NewHandlerWithConfig(swgui.Config{
		Title:       "Sluice admin API",
		SwaggerJSON: specURL,
		BasePath:    DocsPath,
		SettingsUI:  map[string]string{"defaultModelsExpandDepth": "1"},
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		page.ServeHTTP(w, r)
	})
}
