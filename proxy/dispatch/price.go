package dispatch

import (
	"math"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/recent"
)

const (
	// outputShare is how many tokens of output a request is taken to have for each of input while nothing is known
	// of answers. It is the share in the list prices by which the ranking goes without an estimate.
	outputShare = 1.0 / 3
	// lengthMemory is how many answers the mean length of a target's answers goes back.
	lengthMemory = 50
	// maxLengths bounds the targets whose answers are known, and lengthTurn how long one may rest.
	maxLengths = 1 << 12
	lengthTurn = 24 * time.Hour
)

// price estimates what the request will cost with a target, in US dollars; not known if the target has no price.
func (x *exchange) price(t *core.Target) (usd float64, known bool) {
	if !t.Priced {
		return 0, false
	}
	input := float64(x.call.InputTokens)
	if input == 0 {
		input = float64(x.call.Envelope.TextBytes()) * x.d.densities.of(t.Signal, time.Now())
	}
	output := x.d.lengths.expect(t.Signal, input, x.call.Envelope.MaxTokens, time.Now())
	return (input*t.Cost.InputPer1M + output*t.Cost.OutputPer1M) / 1e6, true
}

// bytesPerWindowToken is more bytes than the usual text of any tongue has for a token: a request that only may be too
// long for a context window is left to the upstream, which counts.
const bytesPerWindowToken = 5

// tokens is the least that the request is likely to take of a context window, with the answer that it asks for.
func (x *exchange) tokens() int {
	e, input := x.call.Envelope, x.call.InputTokens
	if input == 0 {
		input = e.TextBytes() / bytesPerWindowToken
	}
	return input + int(min(e.MaxTokens, math.MaxInt32))
}

// lengths knows how many tokens the answers of this node's targets have had of late.
type lengths struct {
	of *recent.Map[signal.Key, length]
}

// length is a mean in which the latest answer counts for one in lengthMemory, or for more while there are few.
type length struct{ answers, tokens float64 }

// anyTarget is the key of all targets together: what is not known of one is taken from the others, so that
// estimates remain comparable.
const anyTarget signal.Key = 0

func newLengths() lengths {
	return lengths{recent.New[signal.Key, length](maxLengths, lengthTurn)}
}

// learn notes an answer; one whose upstream did not count its tokens, or that had none, teaches nothing.
func (l lengths) learn(target signal.Key, tokens int64, now time.Time) {
	if tokens <= 0 {
		return
	}
	grow := func(mean length) length {
		mean.answers = min(mean.answers+1, lengthMemory)
		mean.tokens += (float64(tokens) - mean.tokens) / mean.answers
		return mean
	}
	l.of.Update(target, now, grow)
	l.of.Update(anyTarget, now, grow)
}

// expect estimates the tokens of the answer to a request of that many tokens, which lets it have at most bound of
// them; 0: any number.
func (l lengths) expect(target signal.Key, input float64, bound int64, now time.Time) float64 {
	mean, known := l.of.Get(target, now)
	if !known {
		mean, known = l.of.Get(anyTarget, now)
	}
	switch {
	case known && bound > 0:
		return min(mean.tokens, float64(bound))
	case known:
		return mean.tokens
	case bound > 0:
		return float64(bound)
	}
	return input * outputShare
}
