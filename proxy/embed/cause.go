package embed

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// Cause says why there is no vector; its text is fit for the label of a metric.
type Cause string

// The causes. Those of an answer come with status 200.
const (
	// Unreachable: no connection, or one that broke.
	Unreachable Cause = "unreachable"
	// TimedOut: no whole answer in time.
	TimedOut Cause = "timeout"
	// BadStatus: a status other than 200, redirects included, which are never followed.
	BadStatus Cause = "status"
	// TooLarge: more bytes than the vectors that were asked for can take.
	TooLarge Cause = "too_large"
	// NotJSON: a body that is not JSON, or breaks off.
	NotJSON Cause = "not_json"
	// NoList: JSON without a list of vectors in it.
	NoList Cause = "no_list"
	// NullVector: an entry without a vector.
	NullVector Cause = "null_vector"
	// NotNumeric: a vector with something else in it than finite numbers.
	NotNumeric Cause = "not_numeric"
	// MissingIndex: an entry that does not say which text it belongs to.
	MissingIndex Cause = "missing_index"
	// BadIndex: an entry for a text that was not sent.
	BadIndex Cause = "bad_index"
	// DuplicateIndex: two entries for one text.
	DuplicateIndex Cause = "duplicate_index"
	// WrongCount: more or fewer entries than texts.
	WrongCount Cause = "wrong_count"
	// WrongDimension: a vector of another dimension than was asked for, than its neighbours, or than the vectors that
	// it is to be compared with.
	WrongDimension Cause = "wrong_dimension"
	// ZeroNorm: a vector of zeros.
	ZeroNorm Cause = "zero_norm"

	// Open: the endpoint has failed some times in a row and is left alone for a while. Nothing was sent.
	Open Cause = "open"
	// NotReady: the vectors of the examples are not there yet. Nothing was sent.
	NotReady Cause = "not_ready"
	// NoText: there is nothing to embed. Nothing was sent.
	NoText Cause = "no_text"
	// Canceled: the caller went away, or the Embedder is closed. It says nothing of the endpoint.
	Canceled Cause = "canceled"
	// Panicked: a bug of the gateway's own, which is in its log.
	Panicked Cause = "panicked"
)

// Error is why there is no vector. Its text has a bounded length and holds no more than numbers, the id of the
// provider and what the gateway itself found out about the connection.
type Error struct {
	Cause Cause
	// Upstream is the id of the provider.
	Upstream string
	// Status is that of the answer; 0: there was none.
	Status int
	// Remembered: the endpoint refused this text some time ago, and was not asked again.
	Remembered bool

	detail string
	// retryAfter is how long the endpoint asked to be left alone, or still is.
	retryAfter time.Duration
	// dimension is that of the vector that has the wrong one.
	dimension int
	err       error
}

// Error describes the failure in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("embed")
	if e.Upstream != "" {
		b.WriteString(" by " + e.Upstream)
	}
	b.WriteString(": " + strings.ReplaceAll(string(e.Cause), "_", " "))
	if e.Status != 0 {
		b.WriteString(" " + strconv.Itoa(e.Status))
	}
	if e.detail != "" {
		b.WriteString(": " + e.detail)
	}
	if e.Remembered {
		b.WriteString(" (remembered)")
	}
	return b.String()
}

// RetryAfter is how long the endpoint asked to be left alone, or is, as far as that makes sense to a client; 0: not known.
func (e *Error) RetryAfter() time.Duration { return min(e.retryAfter, retryMost) }

// Unwrap returns the cause below, whose own text may hold what an upstream sent: it is not for a log.
func (e *Error) Unwrap() error { return e.err }

// refused reports whether the endpoint does not want this text, or this many: a call with others may well succeed.
func (e *Error) refused() bool {
	return e.Cause == BadStatus && (e.Status == 400 || e.Status == 413 || e.Status == 422)
}

// CauseOf returns the cause of an error of this package; empty: it is none.
func CauseOf(err error) Cause {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Cause
	}
	return ""
}
