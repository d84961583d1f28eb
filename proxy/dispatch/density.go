package dispatch

import (
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/recent"
)

const (
	// usualDensity is how many tokens a byte of a body has while nothing is known: about what English text has.
	usualDensity = 1.0 / 4
	// What an upstream tells beyond these is no matter of its tokenizer: a byte is a token at the most, and what is below
	// a sixteenth has been counted otherwise.
	maxDensity = 1.0
	minDensity = 1.0 / 16
)

// densities knows how many tokens a byte of text has been for this node's targets of late. Each vendor has a tokenizer of
// its own and bills by it: what it has counted is nearer to its bill than any other tokenizer, and costs nothing.
type densities struct {
	known *recent.Map[signal.Key, density]
}

// density is a quotient of two sums, in which the latest question counts most.
type density struct{ tokens, bytes float64 }

func newDensities() densities {
	return densities{recent.New[signal.Key, density](maxLengths, lengthTurn)}
}

// learn notes that an upstream has counted so many tokens in that many bytes of text. Zero bytes or tokens teach nothing.
func (d densities) learn(target signal.Key, tokens int64, bytes int, now time.Time) {
	if tokens <= 0 || bytes <= 0 {
		return
	}
	const keep = 1 - 1.0/lengthMemory
	grow := func(sum density) density {
		return density{sum.tokens*keep + float64(tokens), sum.bytes*keep + float64(bytes)}
	}
	d.known.Update(target, now, grow)
	d.known.Update(anyTarget, now, grow)
}

// of returns how many tokens a byte is for the target: as it has counted, else as the others have.
func (d densities) of(target signal.Key, now time.Time) float64 {
	sum, known := d.known.Get(target, now)
	if !known {
		sum, known = d.known.Get(anyTarget, now)
	}
	if !known {
		return usualDensity
	}
	return min(max(sum.tokens/sum.bytes, minDensity), maxDensity)
}
