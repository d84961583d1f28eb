package upstream

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"github.com/sluice-gateway/sluice/cmd/demo"
)

// vectors makes those of the demo upstreams.
var vectors = demo.New(demo.Config{Name: "upstream"})

// embeddings answers with the demo's vectors, whatever the model is called, also where the URL names it.
func (s *Server) embeddings(w http.ResponseWriter, r *http.Request) {
	var q struct {
		asked
		Input      []string `json:"input"`
		Dimensions int      `json:"dimensions,omitempty"`
	}
	if !read(w, r, &q) {
		return
	}
	q.asked.Input = q.Input
	b, ok := s.begin(w, r, q.asked)
	if !ok || !pause(r.Context(), b.FirstToken) {
		return
	}
	if b.Vectors != "" {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, b.Vectors) // the caller may be gone
		return
	}
	if b.Dimensions != 0 {
		q.Dimensions = b.Dimensions
	}
	q.Model = demo.EmbeddingModel
	body, err := json.Marshal(q)
	if err != nil {
		panic("upstream: " + err.Error())
	}
	again := r.Clone(r.Context())
	again.URL.Path, again.Body, again.ContentLength = "/v1/embeddings", io.NopCloser(bytes.NewReader(body)), int64(len(body))
	vectors.ServeHTTP(w, again)
}
