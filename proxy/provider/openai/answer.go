package openai

import (
	"bytes"

	"github.com/sluice-gateway/sluice/proxy/apierror"
	"github.com/sluice-gateway/sluice/proxy/provider"
)

// CheckAnswer tells whether the body of a 200 is an answer, and its usage.
func CheckAnswer(body []byte) provider.Answer {
	body = bytes.TrimSpace(body)
	w := walk(body)
	a := provider.Answer{HasUsage: w.HasUsage, Usage: w.Usage}
	switch {
	case w.failed || failedList(body):
		err := provider.ErrorInside(body)
		a.Err = &err
	case !w.whole || !said(body):
		err := apierror.UpstreamFailed()
		a.Err = &err
	}
	return a
}
