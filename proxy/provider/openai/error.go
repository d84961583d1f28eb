package openai

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/apierror"
)

// DecodeError turns an upstream's error answer into ours. The status is always kept; the message is found
// in any of the shapes that servers use, else it is the status's own text. The target's credential is
// struck from what the upstream says, and what it says about the credential (401) is not passed on.
func DecodeError(t *core.Target, status int, header http.Header, body []byte) apierror.Error {
	f := findFault(body)
	e := Strike(t, f.public(status))
	e.Header = errorHeader(header)
	e.RetryAfter = RetryAfter(header, time.Now())
	return e
}

// Strike removes the target's credential from what its upstream says; it has to pass every error of an
// upstream.
func Strike(t *core.Target, e apierror.Error) apierror.Error {
	for _, text := range []*string{&e.Message, &e.Code, &e.Param, &e.Type} {
		*text = strike(*text, t.Upstream.Credential)
	}
	return e
}

// streamError turns an error inside a 200 into ours; its status is what the upstream says it is. Strike has
// yet to go over it.
func streamError(data []byte) apierror.Error {
	f := findFault(data)
	return f.public(f.status())
}

// errorHeader picks what a caller that has to wait needs to know.
func errorHeader(src http.Header) http.Header {
	dst := make(http.Header)
	ResponseHeaders(dst, src)
	delete(dst, "Content-Type")
	return dst
}

// minSecret is the length below which a credential is a placeholder, and striking it would garble words.
const minSecret = 8

// strike removes the secret from text, whether or not the header's scheme stands before it.
func strike(text string, c core.Credential) string {
	secret := c.Value.Reveal()
	secret = secret[strings.LastIndexByte(secret, ' ')+1:]
	if len(secret) < minSecret {
		return text
	}
	return strings.ReplaceAll(text, secret, "[secret]")
}

// failedList reports whether data is a list whose first element reports an error, as some servers wrap it.
func failedList(data []byte) bool {
	if !bytes.HasPrefix(data, []byte("[")) {
		return false
	}
	var list []struct {
		Error any `json:"error"`
	}
	return json.Unmarshal(data, &list) == nil && len(list) > 0 && list[0].Error != nil
}
