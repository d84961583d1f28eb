package serve

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/sluice-gateway/sluice/proxy/apierror"
)

// readStep is how much room a body of unknown length is given at a time at first.
const readStep = 32 << 10

// readLimit bounds the reading of one body, be it by us or by the server, which reads on after a request
// that was refused before its body was read: 32 MiB over a slow line. The server's own ReadTimeout would
// also end answers that take longer than that.
const readLimit = 2 * time.Minute

// limitReading ends the reading of the request at that moment; zero: never.
func (x *exchange) limitReading(at time.Time) {
	_ = http.NewResponseController(x.w).SetReadDeadline(at) // unsupported only by test recorders
}

var (
	errTooLarge = errors.New("body exceeds the limit")
	errNoRoom   = errors.New("too many bytes of bodies are held")
)

// body reads the whole request body, bounded in itself and in sum, and returns how many bytes of the
// budget it holds; the caller gives them back. It is not ok once the request has been refused.
func (x *exchange) body() (raw []byte, held int64, ok bool) {
	if coding := x.r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		x.refuse(apierror.UnsupportedMedia("Content-Encoding " + coding + " is not supported; send the body as it is."))
		return nil, 0, false
	}
	raw, held, err := x.e.read(x.w, x.r)
	if err == nil {
		x.read = true
		x.limitReading(time.Time{}) // an answer may take longer
		return raw, held, true
	}
	x.w.Header().Set("Connection", "close") // the rest of the body is not read
	switch {
	case errors.Is(err, errTooLarge):
		x.refuse(apierror.TooLarge(x.e.cfg.MaxBody))
	case errors.Is(err, errNoRoom):
		x.refuse(unavailable("The gateway holds as many request bodies as it may.", retryBusy))
	default:
		x.refuse(apierror.InvalidRequest("", "The request body could not be read."))
	}
	x.e.cfg.Budget.Give(held)
	return nil, 0, false
}

func (e *Edge) read(w http.ResponseWriter, r *http.Request) (raw []byte, held int64, err error) {
	if r.ContentLength > e.cfg.MaxBody {
		return nil, 0, errTooLarge
	}
	size := r.ContentLength
	if size < 0 {
		size = min(readStep, e.cfg.MaxBody)
	}
	if !e.cfg.Budget.Take(size) {
		return nil, 0, errNoRoom
	}
	held = size
	src := http.MaxBytesReader(w, r.Body, e.cfg.MaxBody)
	buf := make([]byte, 0, size+1) // one more, so that the end is found without growing
	for {
		n, err := src.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, held, nil
		}
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			return nil, held, errTooLarge
		}
		if err != nil {
			return nil, held, err
		}
		if len(buf) < cap(buf) {
			continue
		}
		more := int64(cap(buf))
		if !e.cfg.Budget.Take(more) {
			return nil, held, errNoRoom
		}
		held += more
		buf = append(make([]byte, 0, 2*cap(buf)), buf...)
	}
}
