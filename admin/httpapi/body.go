package httpapi

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/sluice-gateway/sluice/schemas"
)

const (
	typeJSON       = "application/json"
	typeMergePatch = "application/merge-patch+json"
)

// body returns the request's JSON text, which is strict JSON of the media type and within the limit.
func (a *API) body(c echo.Context, mediaType string) ([]byte, error) {
	r := c.Request()
	if err := checkType(r.Header, mediaType); err != nil {
		return nil, err
	}
	over := tooLarge(fmt.Sprintf("the body is over the limit of %d bytes", a.maxBody))
	if r.ContentLength > a.maxBody {
		c.Response().Header().Set("Connection", "close")
		return nil, over
	}
	raw, err := io.ReadAll(http.MaxBytesReader(c.Response(), r.Body, a.maxBody))
	if tooMany := (*http.MaxBytesError)(nil); errors.As(err, &tooMany) {
		c.Response().Header().Set("Connection", "close")
		return nil, over
	}
	if err != nil {
		return nil, badRequest("", "body", "the body ended before its time")
	}
	return raw, checkSyntax(raw)
}

func checkType(h http.Header, want string) error {
	unsupported := func(detail string) error {
		return problem(http.StatusUnsupportedMediaType, "unsupported-media-type", "The body's type is not taken here", detail)
	}
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return unsupported("send the body without Content-Encoding")
	}
	got, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	charset, given := params["charset"]
	if err != nil || got != want || given && !strings.EqualFold(charset, "utf-8") {
		return unsupported("send Content-Type: " + want)
	}
	return nil
}

func checkSyntax(raw []byte) error {
	faults := schemas.CheckSyntax(raw)
	if len(faults) == 0 {
		return nil
	}
	out := make([]Fault, len(faults))
	for i, f := range faults {
		out[i] = Fault{Pointer: f.Pointer, Rule: f.Rule, Message: f.Message}
	}
	return problem(http.StatusBadRequest, "not-json", "The body is not strict JSON", "").with(out)
}
