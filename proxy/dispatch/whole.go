package dispatch

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/apierror"
	"github.com/sluice-gateway/sluice/proxy/provider"
)

// keepBuffer is the largest answer buffer that goes back to the pool: most answers are far smaller.
const keepBuffer = 256 << 10

var (
	errAnswerTooLarge = errors.New("answer exceeds the limit")
	errNoRoom         = errors.New("too many bytes are held")
)

// retryFull is what a client is told to wait when the node has no room: answers are held for moments.
const retryFull = time.Second

// full is a node without room for what an answer takes.
func full() *fault {
	return &fault{slug: slugFull, cause: errNoRoom, public: apierror.Unavailable(retryFull)}
}

// answers is shared by every dispatcher; its buffers hold nothing between uses.
var answers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// whole relays an answer that is not a stream. It is read to its end first, so that one that breaks off
// can still fail over.
func (a *attempt) whole(resp *http.Response, body io.Reader) *fault {
	a.class = signal.Total
	a.dog.calm(time.Now(), 0) // a whole answer has no first token to wait for
	buf := answers.Get().(*bytes.Buffer)
	defer func() {
		if buf.Cap() <= keepBuffer {
			buf.Reset()
			answers.Put(buf)
		}
	}()
	held := metered{src: body, budget: a.x.d.Budget}
	defer held.give()
	if err := a.read(buf, resp.ContentLength, &held); err != nil {
		if errors.Is(err, errNoRoom) {
			return full()
		}
		if errors.Is(err, errAnswerTooLarge) {
			return &fault{slug: slugBadAnswer, cause: err, public: apierror.UpstreamFailed(), fallOver: true, blame: true}
		}
		return transportFault(a.x.ctx, a.ctx, slugTruncated, err)
	}
	a.took = time.Since(a.start)
	answer := a.asked().Wire.Check(buf.Bytes())
	if answer.Err != nil {
		return a.errorInside(*answer.Err)
	}
	a.usage = Usage{answer.Usage.Prompt, answer.Usage.Completion}
	text := buf.Bytes()
	if a.translation != nil {
		if !held.take(2 * int64(len(text))) { // for what is copied out of it, and for what is made of that
			return full()
		}
		var err error
		if text, err = a.translation.whole(text); err != nil {
			return broken(slugBadAnswer, errTranslation, apierror.UpstreamFailed())
		}
	}
	return a.deliver(resp, text)
}

func (a *attempt) read(buf *bytes.Buffer, length int64, body *metered) error {
	limit := int64(a.x.d.MaxAnswer)
	if length > limit {
		return errAnswerTooLarge
	}
	if length > 0 {
		if !body.take(length) {
			return errNoRoom
		}
		buf.Grow(int(length) + bytes.MinRead)
	}
	n, err := buf.ReadFrom(io.LimitReader(body, limit+1))
	if n > limit {
		return errAnswerTooLarge
	}
	return err
}

// errorInside is an error that came with a status of success: it is classed by the status it should have had.
func (a *attempt) errorInside(e apierror.Error) *fault {
	e = a.inOurWords(provider.Strike(a.target, e))
	f := statusFault(a.target, a.x.call.Group, e.Status, e, e.RetryAfter)
	if f.slug == slugStatus {
		f.slug = slugErrorEvent
	}
	return f
}

// deliver writes the answer. This is the commit point of a whole answer.
func (a *attempt) deliver(resp *http.Response, body []byte) *fault {
	x := a.x
	x.committed = true
	x.result.Status = resp.StatusCode
	h := x.w.Header()
	x.headers(h)
	a.returned(h, resp.Header)
	if h.Get("Content-Type") == "" {
		h["Content-Type"] = []string{"application/json"}
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	x.w.WriteHeader(resp.StatusCode)
	if _, err := x.w.Write(body); err != nil {
		x.result.Outcome = slugClientGone
		return &fault{slug: slugClientGone, cause: err}
	}
	x.result.Outcome = "ok"
	return nil
}

func isEventStream(h http.Header) bool {
	return strings.HasPrefix(h.Get("Content-Type"), "text/event-stream")
}
