package openai

import (
	"bytes"

	"github.com/sluice-gateway/sluice/proxy/apierror"
)

// Answer is what a whole answer with status 200 brings.
type Answer struct {
	// HasUsage tells whether Usage was given.
	HasUsage bool
	Usage    Usage
	// Err is set if the answer is none: empty, not a JSON object, or the report of an error.
	Err *apierror.Error
}

// CheckAnswer tells whether the body of a 200 is an answer, and its usage.
func CheckAnswer(body []byte) Answer {
	body = bytes.TrimSpace(body)
	w := walk(body)
	a := Answer{HasUsage: w.HasUsage, Usage: w.Usage}
	switch {
	case w.failed || failedList(body):
		err := streamError(body)
		a.Err = &err
	case !w.whole || !said(body):
		err := apierror.UpstreamFailed()
		a.Err = &err
	}
	return a
}
