package embed

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/vector"
	"github.com/sluice-gateway/sluice/proxy/apierror"
	"github.com/sluice-gateway/sluice/proxy/provider"
)

const (
	// besides is the room for what an answer holds besides its vectors.
	besides = 64 << 10
	// perElement is the room for one number: 20 characters, a comma, and the indent of those who print prettily.
	perElement = 48
	// drain is how much of an error's body is read, and dropped, to get its connection back.
	drain = 64 << 10
)

// caller calls endpoints.
type caller struct {
	transport func(*core.Upstream) http.RoundTripper
	userAgent string
	observer  Observer
}

// embed makes one call and returns a vector for each text, all of one dimension. The error is an *Error.
func (c *caller) embed(ctx context.Context, e *Endpoint, texts []string, timeout time.Duration) ([]vector.Unit, error) {
	start := time.Now()
	vectors, err := c.exchange(ctx, e, texts, timeout)
	c.observer.EmbeddingCalled(e.settings.Upstream.ID, CauseOf(err), time.Since(start))
	return vectors, err
}

func (c *caller) exchange(parent context.Context, e *Endpoint, texts []string, timeout time.Duration) ([]vector.Unit, error) {
	ctx, cancel := context.WithTimeout(parent, timeout)
	defer cancel()
	up := e.settings.Upstream
	resp, err := c.transport(up).RoundTrip(newRequest(ctx, e, texts, c.userAgent))
	if err != nil {
		return nil, broken(parent, ctx, up.ID, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		_, _ = io.CopyN(io.Discard, resp.Body, drain)
		return nil, &Error{Cause: BadStatus, Upstream: up.ID, Status: resp.StatusCode, retryAfter: provider.RetryAfter(resp.Header, time.Now())}
	}
	body, err := read(resp, limit(len(texts), e.settings.Dimensions))
	if err == nil {
		var vectors []vector.Unit
		if vectors, err = decode(body, len(texts), e.settings.Dimensions); err == nil {
			return vectors, nil
		}
	}
	if f, ok := errors.AsType[*flaw](err); ok {
		return nil, &Error{Cause: f.cause, Upstream: up.ID, Status: resp.StatusCode, detail: f.detail, dimension: f.dimension}
	}
	return nil, broken(parent, ctx, up.ID, err)
}

// limit returns how many bytes the answer to a call with n texts may have.
func limit(n, dimensions int) int64 {
	if dimensions == 0 {
		dimensions = core.MaxDimensions
	}
	return besides + int64(n)*(1<<10+int64(dimensions)*perElement)
}

// read returns the body, without the compression that nobody asked for but some servers insist on.
func read(resp *http.Response, most int64) ([]byte, error) {
	body := io.Reader(resp.Body)
	switch resp.Header.Get("Content-Encoding") {
	case "", "identity":
		if resp.ContentLength > most {
			return nil, &flaw{cause: TooLarge}
		}
	case "gzip", "x-gzip":
		unzipped, err := gzip.NewReader(resp.Body)
		if err != nil {
			return nil, unreadable(err)
		}
		body = unzipped
	default:
		return nil, &flaw{cause: NotJSON, detail: "in a content coding that was not asked for"}
	}
	text, err := io.ReadAll(io.LimitReader(body, most+1))
	switch {
	case err != nil:
		return nil, unreadable(err)
	case int64(len(text)) > most:
		return nil, &flaw{cause: TooLarge}
	}
	return text, nil
}

// unreadable tells a body that is no gzip from a connection that broke.
func unreadable(err error) error {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	if corrupt || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) {
		return &flaw{cause: NotJSON, detail: "damaged gzip"}
	}
	return err
}

// broken returns the error of an exchange that did not come to its end.
func broken(parent, ctx context.Context, upstream string, err error) *Error {
	e := &Error{Cause: Unreachable, Upstream: upstream, err: err}
	var timeout net.Error
	switch {
	case parent.Err() != nil:
		e.Cause = Canceled
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		e.Cause = TimedOut
	default:
		e.detail = reason(err)
	}
	return e
}

// maxReason bounds what is said of a connection that could not be made.
const maxReason = 200

// reason says why there is no answer in words that are not the upstream's: an error of the HTTP protocol quotes what
// it could not read.
func reason(err error) string {
	var dns *net.DNSError
	var op *net.OpError
	var errno syscall.Errno
	var certificate *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	switch {
	case errors.As(err, &dns):
		return "name not resolved"
	case errors.As(err, &certificate), errors.As(err, &unknown), errors.As(err, &name):
		return "certificate not accepted"
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &op) && op.Op == "dial":
		return apierror.Text(op.Err.Error(), maxReason)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed"
	}
	return "no HTTP answer"
}
