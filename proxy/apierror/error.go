package apierror

import (
	"net/http"
	"strconv"
	"time"
)

// Types of errors, in the words of the OpenAI API.
const (
	TypeInvalidRequest = "invalid_request_error"
	TypeRateLimit      = "rate_limit_error"
	TypeServer         = "server_error"
)

// Error is one error as the caller sees it.
type Error struct {
	Status int
	// Type, Code and Param are slugs; an empty Code or Param is null on the wire.
	Type, Code, Param string
	Message           string
	// RetryAfter tells when to try again, unless Header already does; zero says nothing.
	RetryAfter time.Duration
	// NoRetry tells the vendors' SDKs not to retry, although the status would make them.
	NoRetry bool
	// Header holds what is passed on from the upstream whose error this is, names canonical. It may be nil.
	Header http.Header
}

// Error returns the status and the public text.
func (e Error) Error() string {
	return strconv.Itoa(e.Status) + " " + e.Type + ": " + e.Message
}

// TypeOf returns the type that goes with a status.
func TypeOf(status int) string {
	switch {
	case status == http.StatusTooManyRequests:
		return TypeRateLimit
	case status >= 400 && status < 500:
		return TypeInvalidRequest
	}
	return TypeServer
}
