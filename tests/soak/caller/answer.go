package caller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/sluice-gateway/sluice/tests/soak/ledger"
	"github.com/sluice-gateway/sluice/tests/soak/truth"
)

// answer is one answer being read.
type answer struct {
	q       truth.Question
	manners manners
	rng     *rand.Rand
	cancel  context.CancelFunc
	left    atomic.Bool
	out     ledger.Outcome
}

// leave goes away; a timer may call it.
func (a *answer) leave() {
	a.left.Store(true)
	a.cancel()
}

// broken notes that the exchange ended without a proper end. That is the client's own doing if it has left.
func (a *answer) broken(err error) {
	if a.left.Load() && (errors.Is(err, context.Canceled) || errors.Is(err, io.EOF)) {
		a.out.Left = true
		return
	}
	a.wrong("%v", err)
}

func (a *answer) wrong(format string, args ...any) {
	if a.out.Wrong == "" {
		a.out.Wrong = fmt.Sprintf(format, args...)
	}
}

// head reads what every answer must say of its way.
func (a *answer) head(resp *http.Response) {
	h := resp.Header
	a.out.Status, a.out.Target, a.out.RetryAfter = resp.StatusCode, h.Get("X-Sluice-Target"), h.Get("Retry-After")
	if got := h.Get("X-Request-Id"); got != a.q.ID {
		a.wrong("x-request-id is %q, want %q", got, a.q.ID)
	}
	var err error
	if a.out.Attempts, err = strconv.Atoi(h.Get("X-Sluice-Attempts")); err != nil {
		a.wrong("status %d: x-sluice-attempts: %v", resp.StatusCode, err)
	}
	if h.Get("X-Sluice-Revision") == "" {
		a.wrong("no x-sluice-revision")
	}
	for _, name := range []string{"Set-Cookie", "Content-Encoding", "Server", "Authorization", "Trailer"} {
		if v := h.Get(name); v != "" {
			a.wrong("%s: %s is no header for a client", name, v)
		}
	}
}

func (a *answer) body(resp *http.Response) {
	kind := resp.Header.Get("Content-Type")
	switch {
	case resp.StatusCode != http.StatusOK:
		a.refused(resp, kind)
	case a.q.Stream && strings.HasPrefix(kind, "text/event-stream"):
		a.stream(resp.Body)
	case !a.q.Stream && strings.HasPrefix(kind, "application/json"):
		a.whole(resp)
	default:
		a.wrong("content type %q for stream %v", kind, a.q.Stream)
	}
}

// most bounds what is read of an answer that is not a stream.
const most = 64 << 20

func (a *answer) whole(resp *http.Response) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, most))
	if err != nil {
		a.broken(fmt.Errorf("after %d bytes: %w", len(body), err))
		return
	}
	if a.out.Answer, err = truth.ReadWhole(a.q.ID, body); err != nil {
		a.wrong("%v", err)
		return
	}
	a.out.Result, a.out.Words = ledger.Whole, a.out.Answer.Words
}

// refused reads an answer that is an error.
func (a *answer) refused(resp *http.Response, kind string) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, most))
	switch {
	case err != nil:
		a.broken(fmt.Errorf("error broken off after %q: %w", body, err))
	case kind != "application/json":
		a.wrong("error of content type %q", kind)
	case resp.StatusCode < 400:
		a.wrong("status %d with %.200q", resp.StatusCode, body)
	default:
		a.failure(body)
		a.out.Result = ledger.Refused
	}
}

// failure reads an error in the OpenAI form, which has these four members and no other.
func (a *answer) failure(text []byte) {
	var e struct {
		Error map[string]*string `json:"error"`
	}
	strict := json.NewDecoder(strings.NewReader(string(text)))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&e); err != nil {
		a.wrong("error %.300q: %v", text, err)
		return
	}
	for _, name := range []string{"message", "type", "param", "code"} {
		if _, is := e.Error[name]; !is || len(e.Error) != 4 {
			a.wrong("error %.300q lacks a member or has one too many", text)
			return
		}
	}
	if e.Error["message"] == nil || e.Error["type"] == nil {
		a.wrong("error %.300q says nothing", text)
		return
	}
	a.out.Message = *e.Error["message"]
}
