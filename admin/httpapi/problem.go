package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/sluice-gateway/sluice/admin/catalog"
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

// Problem is the body of every answer that is not a success (RFC 9457).
type Problem struct {
	// Type is "urn:sluice:problem:" and a slug that names the kind of problem.
	Type string `json:"type" example:"urn:sluice:problem:refused"`
	// Title says the same for people.
	Title  string `json:"title" example:"The change is refused"`
	Status int    `json:"status" example:"422"`
	// Detail says what is wrong with this request and what to do.
	Detail string `json:"detail,omitempty" example:"1 fault"`
	// Instance is the path of the request.
	Instance string `json:"instance" example:"/admin/v1/models/gpt"`
	// RequestID is the answer's X-Request-Id.
	RequestID string `json:"request_id" example:"3f0c8a1e5b7d49f2a6c1d0e9b8a7f6c5"`
	// Errors are the single faults, those of the written resource first.
	Errors []Fault `json:"errors,omitempty"`

	cause error
} //	@name	Problem

// Fault is one thing that is wrong with a request or with what it would lead to.
type Fault struct {
	// Resource is the resource that is at fault when it is not the one of the request.
	Resource *Ref `json:"resource,omitempty"`
	// Pointer is the JSON pointer (RFC 6901) to the faulty field; "" is the whole resource or body.
	Pointer string `json:"pointer" example:"/provider"`
	// Rule is a slug that names the rule that is broken.
	Rule string `json:"rule" example:"reference"`
	// Message says it for people.
	Message string `json:"message" example:"provider \"openai\" does not exist"`
} //	@name	Fault

// Ref names one resource.
type Ref struct {
	Kind string `json:"kind" enums:"provider,model,profile,routing,api_key" example:"model"`
	ID   string `json:"id" example:"gpt"`
} //	@name	Ref

// Error returns the title; the detail is for the caller alone.
func (p *Problem) Error() string { return p.Title }

// Unwrap returns what led to the problem, if it is worth a log line.
func (p *Problem) Unwrap() error { return p.cause }

func problem(status int, slug, title, detail string) *Problem {
	return &Problem{Type: "urn:sluice:problem:" + slug, Title: title, Status: status, Detail: detail}
}

// maxErrors bounds the faults of one answer: breaking a provider breaks all of its models, and nobody reads
// them one by one.
const maxErrors = 256

func (p *Problem) with(faults []Fault) *Problem {
	if p.Detail == "" {
		p.Detail = count(len(faults), "fault")
	}
	if len(faults) > maxErrors {
		p.Detail += fmt.Sprintf("; the first %d are listed", maxErrors)
		faults = faults[:maxErrors]
	}
	p.Errors = faults
	return p
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func badRequest(pointer, rule, message string) *Problem {
	return problem(http.StatusBadRequest, "bad-request", "The request is not understood", message).
		with([]Fault{{Pointer: pointer, Rule: rule, Message: message}})
}

func tooLarge(detail string) *Problem {
	return problem(http.StatusRequestEntityTooLarge, "too-large", "The request is too large", detail)
}

// problemOf says what the caller is told about err.
func problemOf(err error) *Problem {
	var known *Problem
	var routing *echo.HTTPError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &routing) && routing.Code == http.StatusNotFound:
		return problem(http.StatusNotFound, "not-found", "There is nothing at this path", "")
	case errors.As(err, &routing) && routing.Code == http.StatusMethodNotAllowed:
		return problem(http.StatusMethodNotAllowed, "method-not-allowed", "The path does not take this method", "the Allow header lists those that it takes")
	}
	p := problemOfCatalog(err)
	if p == nil {
		p = problemOfNodes(err)
	}
	if p == nil {
		p = problemOfStore(err)
	}
	p.cause = err
	return p
}

func problemOfCatalog(err error) *Problem {
	var refused *catalog.Refused
	var referenced *catalog.Referenced
	switch {
	case errors.As(err, &refused):
		return problem(http.StatusUnprocessableEntity, "refused", "The change is refused", "").with(faultsOf(refused))
	case errors.As(err, &referenced):
		p := problem(http.StatusConflict, "referenced", "Other resources name this one", count(len(referenced.Referrers), "field")+" of other resources must stop naming it first")
		return p.with(referrersOf(referenced))
	case errors.Is(err, catalog.ErrNotFound):
		return problem(http.StatusNotFound, "not-found", "The resource does not exist", "")
	case errors.Is(err, catalog.ErrPrecondition):
		return problem(http.StatusPreconditionFailed, "precondition-failed", "The precondition does not hold", "the resource has changed, exists or is missing against If-Match or If-None-Match; read it again")
	case errors.Is(err, catalog.ErrCorrupt):
		return problem(http.StatusConflict, "corrupt", "The stored value is not a JSON object", "it was not written by this API; PUT replaces it, DELETE removes it")
	case errors.Is(err, catalog.ErrPageToken):
		return badRequest("", "page-token", "page_token is not one that a list returned")
	case errors.Is(err, catalog.ErrPageGone):
		return problem(http.StatusGone, "page-gone", "The list has moved on", "the list has changed and etcd has compacted the revision of page_token; begin the list again")
	}
	return nil
}

func problemOfStore(err error) *Problem {
	const away = http.StatusServiceUnavailable
	switch {
	case errors.Is(err, store.ErrConflict):
		return problem(http.StatusConflict, "write-conflict", "Other writers were faster", "nothing was written; try again")
	case errors.Is(err, store.ErrTooLarge):
		return tooLarge("the resource is over what the store takes, 1 MiB")
	case errors.Is(err, store.ErrNoKeys):
		return problem(away, "no-keyset", "There is no keyset", "nothing was written: secrets are sealed, and this service has no keyset to do it with; set its --keyset-file")
	case errors.Is(err, store.ErrNoSpace):
		return problem(away, "etcd-no-space", "The store is out of space", "nothing was written; reading and serving go on; etcd must be compacted and defragmented and its alarm disarmed")
	case errors.Is(err, store.ErrUnknownOutcome):
		return problem(away, "unknown-outcome", "The outcome of the write is unknown", "it may or may not have been written; read the resource before trying again")
	case errors.Is(err, store.ErrUnauthenticated):
		return problem(away, "store-unauthenticated", "The store refuses this service", "nothing was written; etcd does not accept the service's credentials")
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return problem(away, "store-unavailable", "The store does not answer", "nothing was written; try again")
	}
	return problem(http.StatusInternalServerError, "internal", "Something went wrong here", "the log of this service has more under the request id")
}

func faultsOf(r *catalog.Refused) []Fault {
	out := make([]Fault, len(r.Faults))
	for i, f := range r.Faults {
		out[i] = Fault{refUnless(f.Ref, r.Ref), f.Pointer, f.Rule, f.Message}
	}
	return out
}

func referrersOf(r *catalog.Referenced) []Fault {
	out := make([]Fault, len(r.Referrers))
	for i, by := range r.Referrers {
		out[i] = Fault{refUnless(by.Ref, core.Ref{}), by.Pointer, "referenced", by.Ref.String() + " names this resource"}
	}
	return out
}

func refUnless(ref, own core.Ref) *Ref {
	if ref == own {
		return nil
	}
	return &Ref{string(ref.Kind), ref.ID}
}

// writeProblem answers with p. The answer's X-Request-Id must have been set.
func writeProblem(w http.ResponseWriter, r *http.Request, p *Problem) {
	shown := *p
	shown.Instance = r.URL.EscapedPath()
	shown.RequestID = w.Header().Get(headerRequestID)
	body, err := json.Marshal(shown)
	if err != nil {
		panic("httpapi: a problem does not encode: " + err.Error())
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	// The caller may be gone; the access log has the status either way.
	_, _ = w.Write(append(body, '\n'))
}
