package apierror

import (
	"net/http"
	"strings"
)

// Types of errors of the Anthropic API by their statuses; the others are by the hundred.
const (
	anthropicAuthentication = "authentication_error"
	anthropicBilling        = "billing_error"
	anthropicPermission     = "permission_error"
	anthropicNotFound       = "not_found_error"
	anthropicTooLarge       = "request_too_large"
	anthropicTimeout        = "timeout_error"
	anthropicOverloaded     = "overloaded_error"
	anthropicServer         = "api_error"
)

// statusOverloaded is Anthropic's own status of an overload.
const statusOverloaded = 529

// appendAnthropic appends the Anthropic form of e, one JSON object, to dst. An empty requestID is left out.
func appendAnthropic(dst []byte, e Error, requestID string) []byte {
	dst = append(dst, `{"type":"error","error":{"type":`...)
	dst = appendString(dst, anthropicType(e))
	dst = append(dst, `,"message":`...)
	dst = appendString(dst, e.Message)
	dst = append(dst, '}')
	if requestID != "" {
		dst = append(dst, `,"request_id":`...)
		dst = appendString(dst, requestID)
	}
	return append(dst, '}')
}

// anthropicType returns the type that goes with the status. One that an upstream gave in words like those of the
// Anthropic API is kept, unless it is a word of the OpenAI API.
func anthropicType(e Error) string {
	switch e.Type {
	case TypeInvalidRequest, TypeRateLimit, TypeServer:
	default:
		if strings.HasSuffix(e.Type, "_error") {
			return e.Type
		}
	}
	switch e.Status {
	case http.StatusUnauthorized:
		return anthropicAuthentication
	case http.StatusPaymentRequired:
		return anthropicBilling
	case http.StatusForbidden:
		return anthropicPermission
	case http.StatusNotFound:
		return anthropicNotFound
	case http.StatusRequestEntityTooLarge:
		return anthropicTooLarge
	case http.StatusTooManyRequests:
		return TypeRateLimit
	case http.StatusGatewayTimeout:
		return anthropicTimeout
	case http.StatusServiceUnavailable, statusOverloaded:
		return anthropicOverloaded
	}
	if e.Status >= 500 {
		return anthropicServer
	}
	return TypeInvalidRequest
}
