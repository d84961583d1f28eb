package anthropic

import (
	"bytes"

	"github.com/sluice-gateway/sluice/proxy/apierror"
	"github.com/sluice-gateway/sluice/proxy/provider"
)

// CheckMessage tells whether the body of a 200 is an answer, and its usage.
func CheckMessage(body []byte) provider.Answer {
	body = bytes.TrimSpace(body)
	w := walk(body)
	a := provider.Answer{HasUsage: w.HasUsage, Usage: w.Usage}
	switch {
	case w.failed || string(w.kind) == eventError:
		a.Err = failure(body).Err
	case !w.whole || w.members == 0:
		err := apierror.UpstreamFailed()
		a.Err = &err
	}
	return a
}
