package inspect

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/decision"
	"github.com/sluice-gateway/sluice/proxy/dispatch"
	"github.com/sluice-gateway/sluice/proxy/embed"
	"github.com/sluice-gateway/sluice/proxy/live"
)

const (
	// maxBody bounds a question: above what the admin service lets through.
	maxBody = 2 << 20
	// atOnce bounds the explanations worked on at one time: each may compile the whole document, beside requests.
	// calibrationsAtOnce bounds the calibrations, which take long and so have turns of their own.
	atOnce             = 2
	calibrationsAtOnce = 2
)

// Config is what a Handler works with. All fields are required.
type Config struct {
	// Token is what the control plane has to show.
	Token string
	// Node is the name of this node.
	Node string
	// Find returns the JSON of the decision about a request; nil when it is not remembered.
	Find func(requestID string) ([]byte, error)
	// State returns what is served; nil while there is nothing.
	State func() *live.State
	// Suppose compiles the document of a state with further resources in it.
	Suppose func(s *live.State, resources ...core.Resource) (*core.Snapshot, []core.Fault)
	// Examples embed what is only tried.
	Examples *embed.Examples
	// Explain says what would be decided about a call.
	Explain func(ctx context.Context, call dispatch.Call, facts *decision.Facts) decision.Explanation
}

// Handler answers questions about decisions.
type Handler struct {
	cfg   Config
	token [sha256.Size]byte
	turns turns
	slow  turns // of calibrations
	mux   *http.ServeMux
}

// New returns a Handler.
func New(cfg Config) *Handler {
	h := &Handler{cfg: cfg, token: sha256.Sum256([]byte(cfg.Token)), turns: make(turns, atOnce), slow: make(turns, calibrationsAtOnce), mux: http.NewServeMux()}
	h.mux.HandleFunc("GET /decisions/{id}", h.decision)
	h.mux.HandleFunc("POST /explain", h.explain)
	h.mux.HandleFunc("POST /calibrate", h.calibrate)
	return h
}

// Paths returns the patterns under which the handler wants to be found.
func (h *Handler) Paths() []string { return []string{"/decisions/", "/explain", "/calibrate"} }

// ServeHTTP answers whoever shows the token, and nobody else.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if !h.shown(r.Header) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="sluice-node"`)
		complain(w, http.StatusUnauthorized, &decision.Complaint{Message: "the node's own token is needed, which the admin service knows"})
		return
	}
	h.mux.ServeHTTP(w, r)
}

// shown compares digests, whose comparison tells nothing of the token by its time.
func (h *Handler) shown(header http.Header) bool {
	token, ok := strings.CutPrefix(header.Get("Authorization"), "Bearer ")
	sum := sha256.Sum256([]byte(token))
	return ok && h.cfg.Token != "" && subtle.ConstantTimeCompare(sum[:], h.token[:]) == 1
}

func (h *Handler) decision(w http.ResponseWriter, r *http.Request) {
	raw, err := h.cfg.Find(r.PathValue("id"))
	switch {
	case err != nil:
		complain(w, http.StatusInternalServerError, &decision.Complaint{Message: "the decision cannot be shown"})
	case raw == nil:
		complain(w, http.StatusNotFound, &decision.Complaint{Message: "the request is not among those that this node remembers"})
	default:
		w.Header().Set("Content-Type", "application/json")
		w.Write(raw)
	}
}

// explain answers a question about a request that nobody has made.
func (h *Handler) explain(w http.ResponseWriter, r *http.Request) {
	var q decision.Question
	if c := read(w, r, &q); c != nil {
		complain(w, http.StatusUnprocessableEntity, c)
		return
	}
	if !h.turns.take(r.Context()) {
		return // whoever asked has left
	}
	defer h.turns.give()
	state := h.cfg.State()
	if state == nil {
		complain(w, http.StatusServiceUnavailable, &decision.Complaint{Message: "the node has no configuration yet"})
		return
	}
	call, faults := h.call(r.Context(), state, &q)
	if len(faults) > 0 {
		complain(w, http.StatusUnprocessableEntity, &decision.Complaint{Message: "the question cannot be answered", Faults: faults})
		return
	}
	out := h.cfg.Explain(r.Context(), call, &q.Facts)
	out.Node = h.cfg.Node
	respond(w, http.StatusOK, out)
}

// turns are handed out to as many as there is room for.
type turns chan struct{}

func (t turns) take(ctx context.Context) bool {
	select {
	case t <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (t turns) give() { <-t }

// read decodes a body, in which every field must be known.
func read(w http.ResponseWriter, r *http.Request, into any) *decision.Complaint {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		err = errors.New("there is text behind the JSON object")
	}
	return &decision.Complaint{Message: "the question is not understood", Faults: []core.Fault{decision.Wrong("", "json", strings.TrimPrefix(err.Error(), "json: "))}}
}

func complain(w http.ResponseWriter, status int, c *decision.Complaint) { respond(w, status, c) }

func respond(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}
