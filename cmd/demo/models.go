package demo

import "net/http"

type modelEntry struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func (s *Server) entry(name string) modelEntry {
	return modelEntry{name, "model", s.started.Unix(), "sluice-demo"}
}

// models answers GET /v1/models.
func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, struct {
		Object string       `json:"object"`
		Data   []modelEntry `json:"data"`
	}{"list", []modelEntry{s.entry(s.cfg.Name), s.entry(EmbeddingModel)}})
}

// model answers GET /v1/models/{id}.
func (s *Server) model(w http.ResponseWriter, r *http.Request) {
	if id := r.PathValue("id"); id != s.cfg.Name && id != EmbeddingModel {
		s.noModel(id).write(w)
		return
	}
	writeJSON(w, http.StatusOK, s.entry(r.PathValue("id")))
}
