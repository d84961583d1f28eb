package provider

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/sluice-gateway/sluice/proxy/apierror"
)

// maxMessage bounds what is passed on of an upstream's message.
const maxMessage = 2000

// maxPlain bounds what is passed on of a body that is text and not JSON.
const maxPlain = 300

// fault is what could be found in an error body.
type fault struct {
	message, kind, code, param string
	// number is a code that looks like an HTTP status; 0: none.
	number int
	// plain tells that the message is the whole body, which is not JSON.
	plain bool
}

// maxErrorBody is the size above which a body is not taken apart: no error is that long, and the tree of a
// hostile one is many times its size.
const maxErrorBody = 256 << 10

// findFault looks for an error in a body of any shape.
func findFault(body []byte) fault {
	if len(body) > maxErrorBody {
		return fault{}
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return plainFault(string(body))
	}
	var f fault
	f.find(v)
	return f
}

// plainFault takes text that is not a page of markup.
func plainFault(body string) fault {
	body = apierror.Text(body, maxPlain)
	if strings.ContainsAny(body, "<{[") {
		return fault{}
	}
	return fault{message: body, plain: true}
}

// find takes what v says, the inner error before what surrounds it.
func (f *fault) find(v any) {
	switch v := v.(type) {
	case string:
		f.message = keep(f.message, v)
	case []any:
		if len(v) > 0 {
			f.find(v[0])
		}
	case map[string]any:
		f.find(v["error"])
		f.findIn(v)
	}
}

// findIn takes what the members of one object say.
func (f *fault) findIn(m map[string]any) {
	for _, name := range []string{"message", "msg", "detail", "error_message", "error_description", "errors", "title"} {
		if f.message == "" {
			f.find(m[name])
		}
	}
	f.kind = keep(f.kind, slug(m["type"]))
	f.param = keep(f.param, words(m["param"]))
	for _, name := range []string{"code", "error_code", "status"} {
		f.code = keep(f.code, slug(m[name]))
		if f.number == 0 {
			f.number = statusNumber(m[name])
		}
	}
}

func keep(have, found string) string {
	if have != "" {
		return have
	}
	return found
}

var slugShape = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.:/-]{0,63}$`)

// slug returns a string that is a word and not some language's nothing.
func slug(v any) string {
	s, _ := v.(string)
	if !slugShape.MatchString(s) || strings.EqualFold(s, "none") || strings.EqualFold(s, "null") || s == "error" {
		return ""
	}
	return s
}

// words returns a string that names a parameter.
func words(v any) string {
	s, _ := v.(string)
	if strings.EqualFold(s, "none") || strings.EqualFold(s, "null") {
		return ""
	}
	return apierror.Text(s, len("messages[0].content")*10)
}

// statusNumber returns a number, or a string of digits, that is an HTTP error status.
func statusNumber(v any) int {
	n, _ := v.(float64)
	if s, ok := v.(string); ok {
		i, _ := strconv.Atoi(s)
		n = float64(i)
	}
	if n < 400 || n > 599 || n != float64(int(n)) {
		return 0
	}
	return int(n)
}

// statusOf are the statuses that go with the words of the OpenAI and Anthropic APIs and those who follow them.
func statusOf(word string) int {
	switch strings.ToLower(word) {
	case "invalid_request_error", "badrequesterror", "context_length_exceeded", "invalid_argument":
		return http.StatusBadRequest
	case "authentication_error", "invalid_api_key", "unauthenticated":
		return http.StatusUnauthorized
	case "permission_error", "permission_denied":
		return http.StatusForbidden
	case "not_found_error", "model_not_found", "not_found":
		return http.StatusNotFound
	case "rate_limit_error", "rate_limit_exceeded", "insufficient_quota", "resource_exhausted":
		return http.StatusTooManyRequests
	case "overloaded_error", "overloaded", "service_unavailable", "unavailable":
		return http.StatusServiceUnavailable
	case "timeout", "timeout_error", "deadline_exceeded":
		return http.StatusGatewayTimeout
	case "server_error", "internal_server_error", "internal_error", "api_error":
		return http.StatusInternalServerError
	}
	return 0
}

// status derives the status of an error that came without one.
func (f fault) status() int {
	for _, s := range []int{f.number, statusOf(f.code), statusOf(f.kind)} {
		if s != 0 {
			return s
		}
	}
	return http.StatusBadGateway
}

// insufficientQuota is the one 429 that no wait cures.
const insufficientQuota = "insufficient_quota"

// public returns the fault as the caller sees it.
func (f fault) public(status int) apierror.Error {
	e := apierror.Error{
		Status: status, Type: keep(f.kind, apierror.TypeOf(status)), Code: f.code, Param: f.param,
		Message: apierror.Text(f.message, maxMessage), NoRetry: f.code == insufficientQuota || f.kind == insufficientQuota,
	}
	switch {
	case status == http.StatusUnauthorized:
		e.Message = "The model's server refused the gateway's credential."
	case e.Message == "", f.plain && status >= 500:
		e.Message = statusText(status)
	}
	return e
}

func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return "The model's server answered: " + text + "."
	}
	return "The model's server answered with status " + strconv.Itoa(status) + "."
}
