package apierror

import (
	"net/http"
	"strconv"
	"time"
)

// InvalidRequest is a body or parameter that the gateway refuses. An empty param blames the request as a whole.
func InvalidRequest(param, message string) Error {
	return Error{Status: http.StatusBadRequest, Type: TypeInvalidRequest, Param: param, Message: message}
}

// Unauthorized is a missing, unknown, disabled or expired key; which of these is not told.
func Unauthorized() Error {
	return Error{
		Status: http.StatusUnauthorized, Type: TypeInvalidRequest, Code: "invalid_api_key",
		Message: "The API key is missing or not valid. Send it as \"Authorization: Bearer KEY\".",
		Header:  http.Header{"Www-Authenticate": {"Bearer"}},
	}
}

// ModelNotFound is a model that does not exist or that the caller may not use; which of these is not told.
func ModelNotFound(model string) Error {
	return Error{
		Status: http.StatusNotFound, Type: TypeInvalidRequest, Code: "model_not_found", Param: "model",
		Message: "The model " + strconv.Quote(Text(model, maxEcho)) + " does not exist or you do not have access to it.",
	}
}

// UnknownPath is a method and path that the gateway does not serve.
func UnknownPath(method, path string) Error {
	return Error{
		Status: http.StatusNotFound, Type: TypeInvalidRequest, Code: "unknown_url",
		Message: "Unknown request URL: " + Text(method, maxEcho) + " " + Text(path, maxEcho) + ".",
	}
}

// MethodNotAllowed is a path that exists for other methods, which allow lists.
func MethodNotAllowed(allow string) Error {
	return Error{
		Status: http.StatusMethodNotAllowed, Type: TypeInvalidRequest, Code: "method_not_allowed",
		Message: "This URL takes " + allow + " only.", Header: http.Header{"Allow": {allow}},
	}
}

// TooLarge is a body of more than limit bytes.
func TooLarge(limit int64) Error {
	return Error{
		Status: http.StatusRequestEntityTooLarge, Type: TypeInvalidRequest, Code: "request_too_large",
		Message: "The request body is larger than " + strconv.FormatInt(limit, 10) + " bytes.",
	}
}

// UnsupportedMedia is a body in a content type or encoding that the gateway does not read.
func UnsupportedMedia(message string) Error {
	return Error{Status: http.StatusUnsupportedMediaType, Type: TypeInvalidRequest, Code: "unsupported_media_type", Message: message}
}

// RateLimited is a caller over its own limit at the gateway.
func RateLimited(retryAfter time.Duration) Error {
	return Error{
		Status: http.StatusTooManyRequests, Type: TypeRateLimit, Code: "rate_limit_exceeded",
		Message: "Rate limit reached. Try again later.", RetryAfter: retryAfter,
	}
}

// Unavailable is a gateway that cannot try at present: every target cools, it drains, or it is full.
func Unavailable(retryAfter time.Duration) Error {
	return Error{
		Status: http.StatusServiceUnavailable, Type: TypeServer, Code: "unavailable",
		Message: "The model is not available at the moment. Try again later.", RetryAfter: retryAfter,
	}
}

// UpstreamFailed is an upstream that could not be reached or gave no usable answer.
func UpstreamFailed() Error {
	return Error{
		Status: http.StatusBadGateway, Type: TypeServer, Code: "upstream_error",
		Message: "The model's server could not be reached or gave no usable answer.",
	}
}

// UpstreamCut is a stream that ended before its answer was complete.
func UpstreamCut() Error {
	return Error{
		Status: http.StatusBadGateway, Type: TypeServer, Code: "upstream_cut",
		Message: "The model's server ended the stream before the answer was complete.",
	}
}

// UpstreamTimeout is an upstream that took longer than the time allowed.
func UpstreamTimeout() Error {
	return Error{
		Status: http.StatusGatewayTimeout, Type: TypeServer, Code: "upstream_timeout",
		Message: "The model's server did not answer in time.",
	}
}

// LoopDetected is a request that has come through this gateway too often.
func LoopDetected() Error {
	return Error{
		Status: http.StatusLoopDetected, Type: TypeServer, Code: "loop_detected",
		Message: "The request came back to the gateway through its own providers.", NoRetry: true,
	}
}

// Internal is a fault of the gateway itself.
func Internal() Error {
	return Error{Status: http.StatusInternalServerError, Type: TypeServer, Code: "internal_error", Message: "The gateway failed."}
}
