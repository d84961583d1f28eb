package apierror

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// TagsHeader is where a request names the tags that it wants of a target.
const TagsHeader = "x-sluice-tags"

// BadTags is a header of tags that cannot be read.
func BadTags(message string) Error {
	return Error{Status: http.StatusBadRequest, Type: TypeInvalidRequest, Code: "invalid_tags", Param: TagsHeader, Message: message}
}

// TagsNotServed is a request for tags that no target of the model bears; nor is any tagged "default".
func TagsNotServed(model string, tags []string) Error {
	return Error{
		Status: http.StatusBadRequest, Type: TypeInvalidRequest, Code: "tags_not_served", Param: TagsHeader,
		Message: "The model " + strconv.Quote(Text(model, maxEcho)) + " has no target for the tags in the header " + TagsHeader + ": " + Text(strings.Join(tags, ", "), maxEcho) + ".",
	}
}

// EndpointNotServed is a request at a path that no target of the model has an answer to, be it that others could serve.
func EndpointNotServed(model, path string) Error {
	return Error{
		Status: http.StatusNotFound, Type: TypeInvalidRequest, Code: "endpoint_not_served", Param: "model",
		Message: "The model " + strconv.Quote(Text(model, maxEcho)) + " has no target that serves " + path + ".",
	}
}

// NotCapable is a request that needs what no target of the model can do. param is the member of the body that
// needs it.
func NotCapable(model, param string, lacking []string) Error {
	return Error{
		Status: http.StatusBadRequest, Type: TypeInvalidRequest, Code: "not_capable", Param: param,
		Message: "The model " + strconv.Quote(Text(model, maxEcho)) + " has no target that is capable of what the request needs: " + strings.Join(lacking, ", ") + ".",
	}
}

// TooManyTokens is a request that is too long for the context window of every target of the model.
func TooManyTokens(model string, tokens int) Error {
	return Error{
		Status: http.StatusBadRequest, Type: TypeInvalidRequest, Code: "context_length_exceeded", Param: "messages",
		Message: "The model " + strconv.Quote(Text(model, maxEcho)) + " has no target whose context window holds the request and the answer that it asks for, about " + strconv.Itoa(tokens) + " tokens.",
	}
}

// TooExpensive is a request that would cost more with every target of the model than its profile allows.
func TooExpensive(model string) Error {
	return Error{
		Status: http.StatusBadRequest, Type: TypeInvalidRequest, Code: "cost_limit_exceeded", Param: "model",
		Message: "The model " + strconv.Quote(Text(model, maxEcho)) + " has no target whose estimated price for the request is within the limit of its profile.",
	}
}

// OutsideLimits is a model of which no target meets what its profile asks for at present.
func OutsideLimits(model string) Error {
	e := Unavailable(0)
	e.Code, e.Message = "no_target_within_limits", "The model "+strconv.Quote(Text(model, maxEcho))+" has no target at the moment that meets its profile. Try again later."
	return e
}

// NotCompared is a prompt that could not be compared with the examples of its routing, which serves no other.
func NotCompared(retryAfter time.Duration) Error {
	e := Unavailable(retryAfter)
	e.Code, e.Message = "embedding_failed", "The prompt could not be compared with the examples that decide who answers it. Try again later."
	return e
}
