package apierror

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendOpenAI appends the OpenAI form of e, one JSON object, to dst.
func AppendOpenAI(dst []byte, e Error) []byte {
	dst = append(dst, `{"error":{"message":`...)
	dst = appendString(dst, e.Message)
	dst = append(dst, `,"type":`...)
	dst = appendString(dst, e.Type)
	dst = append(dst, `,"param":`...)
	dst = appendOptional(dst, e.Param)
	dst = append(dst, `,"code":`...)
	dst = appendOptional(dst, e.Code)
	return append(dst, "}}"...)
}

// AppendOpenAIEvent appends e as the event that ends a stream; no "[DONE]" follows it.
func AppendOpenAIEvent(dst []byte, e Error) []byte {
	dst = append(dst, "data: "...)
	dst = AppendOpenAI(dst, e)
	return append(dst, "\n\n"...)
}

// writeHeader puts what the SDKs of all vendors read into h.
func writeHeader(h http.Header, e Error) {
	for name, values := range e.Header {
		h[name] = values
	}
	if e.RetryAfter > 0 && h.Get("Retry-After") == "" {
		h.Set("Retry-After", strconv.FormatInt(int64(math.Ceil(e.RetryAfter.Seconds())), 10))
		h.Set("Retry-After-Ms", strconv.FormatInt(int64((e.RetryAfter+time.Millisecond-1)/time.Millisecond), 10))
	}
	if e.NoRetry {
		h.Set("X-Should-Retry", "false")
	}
}

func appendOptional(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, "null"...)
	}
	return appendString(dst, s)
}

// appendString appends s as a JSON string. The only error is invalid UTF-8, which is replaced.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}
