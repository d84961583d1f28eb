package dispatch

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/apierror"
	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/endpoint"
	"github.com/sluice-gateway/sluice/proxy/envelope"
	"github.com/sluice-gateway/sluice/proxy/sse"
)

// DroppedHeader names the members of a caller's body that had no place in the dialect of the target that answered.
const DroppedHeader = "X-Sluice-Dropped"

// said is the caller's request in no vendor's words, made once for all targets that need it so.
type said struct {
	request *conversation.Request
	dropped []string
	err     error
	size    int64 // of the body that was read, which is taken from the budget for what has been copied out of it
}

// translation is a request in another dialect, and the way back for its answer.
type translation struct {
	*endpoint.Detour
	request *conversation.Request // nil once the answer is a stream that has been held
	body    *envelope.Envelope
	size    int64 // of the body, which is taken from the budget
	dropped []string
	// unknown is the upstream's word for why it stopped, where that is none of its dialect; empty: it is one.
	unknown string

	// Of a stream:
	decoder conversation.Decoder
	encoder conversation.Encoder
	events  []conversation.Event // room
	keeper  conversation.Keeper  // the encoder, if it keeps what it has told
	kept    int64                // of that, which is taken from the budget
}

var errTranslation = errors.New("the answer makes no sense in its dialect")

// translate says the request as the target's upstream wants it said. It is nil, and so is the fault, where the caller's
// own words do. A request that cannot be said so is refused, but another target may understand it.
func (x *exchange) translate(t *core.Target) (*translation, *fault) {
	detour := x.call.Endpoint.Detour(t.Upstream.Kind)
	if detour == nil {
		return nil, nil
	}
	if f := x.understand(detour.Caller); f != nil {
		return nil, f
	}
	ask := *x.said.request
	ask.StreamUsage = ask.StreamUsage || t.Upstream.StreamUsage
	body, dropped, err := detour.Upstream.EncodeRequest(&ask, t.UpstreamModel)
	if err != nil {
		return nil, unsayable(err)
	}
	parsed, err := envelope.Parse(body, detour.To.Shape)
	if err != nil {
		return nil, &fault{slug: slugRefused, cause: err, public: apierror.Internal(), fallOver: true}
	}
	if !x.d.Budget.Take(int64(len(body))) {
		return nil, full()
	}
	return &translation{Detour: detour, request: x.said.request, body: parsed, size: int64(len(body)), dropped: append(dropped, x.said.dropped...)}, nil
}

// understand reads the caller's request, if no target has needed that before.
func (x *exchange) understand(caller conversation.Codec) *fault {
	if x.said == nil {
		raw := x.call.Envelope.Raw()
		size := int64(len(raw))
		if !x.d.Budget.Take(size) {
			return full()
		}
		x.said = &said{size: size}
		x.said.request, x.said.dropped, x.said.err = caller.DecodeRequest(raw)
	}
	if x.said.err != nil {
		return unsayable(x.said.err)
	}
	return nil
}

// unsay lets go of what was understood; again does nothing.
func (x *exchange) unsay() {
	if x.said != nil {
		x.d.Budget.Give(x.said.size)
		x.said = nil
	}
}

func unsayable(err error) *fault {
	var e *conversation.Error
	if !errors.As(err, &e) {
		return &fault{slug: slugRefused, cause: err, public: apierror.Internal(), fallOver: true}
	}
	return &fault{slug: slugRefused, public: apierror.InvalidRequest(e.Param, e.Message), fallOver: true, unasked: true}
}

// asked is the endpoint at which the target is asked.
func (a *attempt) asked() *endpoint.Endpoint {
	if a.translation != nil {
		return a.translation.To
	}
	return a.x.call.Endpoint
}

// asking is the body that is sent, before the target's changes.
func (a *attempt) asking() *envelope.Envelope {
	if a.translation != nil {
		return a.translation.body
	}
	return a.x.call.Envelope
}

// forget gives the room of the translated body back; again does nothing.
func (a *attempt) forget() {
	if t := a.translation; t != nil && t.size > 0 {
		a.x.d.Budget.Give(t.size)
		t.size, t.body = 0, nil
	}
}

// returned copies what the caller may see of an upstream's header.
func (a *attempt) returned(dst, src http.Header) {
	a.dialect.ResponseHeaders(dst, src)
	t := a.translation
	if t == nil {
		return
	}
	a.strip(dst)
	delete(dst, "Content-Type")
	if len(t.dropped) > 0 {
		dst[DroppedHeader] = []string{listed(t.dropped)}
		t.dropped = nil // whose names may be as long as the caller's body, and an idle stream holds none of that
	}
}

// strip takes away what another vendor says of itself and its limits, which means nothing to a caller of this dialect.
func (a *attempt) strip(h http.Header) {
	maps.DeleteFunc(h, func(name string, _ []string) bool {
		return strings.HasPrefix(name, a.dialect.ReturnedPrefix) || slices.Contains(a.dialect.Returned, name)
	})
}

// inOurWords says an error of a translated upstream as the caller's dialect does: its type is that of the status. The
// upstream's own word for it is its code, unless it has one.
func (a *attempt) inOurWords(e apierror.Error) apierror.Error {
	if a.translation == nil {
		return e
	}
	if kind := apierror.TypeOf(e.Status); e.Type != kind {
		e.Code, e.Type = cmp.Or(e.Code, e.Type), kind
	}
	a.strip(e.Header)
	return e
}

// maxDropped bounds the header that names what was dropped, in bytes.
const maxDropped = 1 << 10

// listed joins JSON pointers to what fits into a header; the names in them are a caller's own.
func listed(pointers []string) string {
	list := strings.Join(pointers, ",")
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r >= 0x7f {
			return '?'
		}
		return r
	}, list[:min(len(list), maxDropped)])
}

// whole says an upstream's whole answer in the caller's dialect.
func (t *translation) whole(body []byte) ([]byte, error) {
	answer, err := t.Upstream.DecodeAnswer(body)
	if err != nil {
		return nil, err
	}
	t.unknown = answer.Stop.Unknown
	return t.Caller.EncodeAnswer(t.request, answer), nil
}

// begin makes ready for a stream.
func (t *translation) begin() {
	t.decoder, t.encoder = t.Upstream.NewDecoder(), t.Caller.NewEncoder(t.request)
	t.keeper, _ = t.encoder.(conversation.Keeper)
	t.request = nil
}

// translate gathers what an event of the upstream says in the caller's dialect. over: the stream has come to its end.
func (r *relay) translate(e sse.Event) (over bool, err error) {
	t := r.a.translation
	t.events, over, err = t.decoder.Decode(t.events[:0], e.Name, e.Data)
	r.say(t.events)
	return over, err
}

// finish gathers the end of a stream whose upstream has left out the closing words of its dialect.
func (r *relay) finish() (over bool) {
	t := r.a.translation
	t.events, over = t.decoder.End(t.events[:0])
	r.say(t.events)
	return over
}

func (r *relay) say(events []conversation.Event) {
	for i := range events {
		r.open()
		if events[i].Kind == conversation.Finish {
			r.a.translation.unknown = events[i].Stop.Unknown
		}
		before := len(r.out)
		r.out = r.a.translation.encoder.Append(r.out, &events[i])
		r.told += bytes.Count(r.out[before:], frameEnd)
	}
	clear(events) // an idle stream keeps no text, and no more room than most events need
	if cap(events) > keepEvents {
		r.a.translation.events = nil
	}
}

// keep takes room for what the encoder keeps until the end of the stream, which is not to be more than a whole answer.
func (r *relay) keep() *fault {
	t, d := r.a.translation, r.a.x.d
	if t.keeper == nil {
		return nil
	}
	n := int64(t.keeper.Kept())
	if n > int64(d.MaxAnswer) {
		return &fault{slug: slugBadAnswer, cause: errAnswerTooLarge, public: apierror.UpstreamFailed(), fallOver: true, blame: true}
	}
	if n <= t.kept {
		return nil
	}
	if !d.Budget.Take(n - t.kept) {
		return full()
	}
	t.kept = n
	return nil
}

// release gives back the room of what the encoder has kept; again does nothing.
func (t *translation) release(d *Dispatcher) {
	if t != nil {
		d.Budget.Give(t.kept)
		t.kept = 0
	}
}

// frameEnd ends each event that a caller gets; what a step of an answer makes may be none or several.
var frameEnd = []byte("\n\n")

// keepEvents is how many events a stream keeps room for.
const keepEvents = 16
