package signal

import (
	"math"
	"time"
)

// The format of a published value, version 2. Integers and IEEE floats are little-endian.
//
//	header  version u8 | kind u8 | half-lives in seconds, the trend's last, 4×u16 | boot u64 | sequence u64 | entries u16
//	entry   key u64 | in flight u32 | cooldown left u32 | attempts f32 | failures f32 | loads f32 | classes u8 | per class, TTFT first:
//	class   since success u32 | since failure u32 | 3 × (weight f32, sum f32) | fit: w, x, y, xx, xy, yy f32
//
// A value is a member's own state or a root: what an aggregator has folded of all members.
// Times are milliseconds; never is the greatest value. The lowest bits of classes say which class follows. All
// weights are aged to the moment of encoding and go on ageing from the moment of receipt. Half-lives
// that differ from the reader's (two versions during an update) rescale the weights. Boot names the process,
// sequence its values in order: of one boot only a greater sequence is taken in.
const (
	version    = 2
	headerSize = 1 + 1 + lives*2 + 8 + 8 + 2
	entrySize  = 8 + 4 + 4 + 3*4 + 1
	classSize  = 4 + 4 + rungs*(4+4) + 6*4

	// maxEntries keeps a value under 71 KiB, and maxRoot a root under 564 KiB, a third of what etcd takes.
	maxEntries = 512
	maxRoot    = 4096
	maxWeight  = 1e6
	// maxTotal bounds the weights of a root: those of a thousand members.
	maxTotal = 1000 * maxWeight
	// minWeight is the least weight whose sum f32 still holds with all its digits.
	minWeight = 1e-30
	// rounding is what f32 may add to a mean that sits on a bound.
	rounding = 1e-6
	never    = math.MaxUint32
)

var halfLives = [lives]time.Duration{fast, middle, slow, trend}

// kind says whose state a value is.
type kind byte

const (
	ofMember kind = iota
	ofAll
)

// limits returns how many entries a value of the kind may have and what bounds its weights.
func (k kind) limits() (entries int, weight float64) {
	if k == ofAll {
		return maxRoot, maxTotal
	}
	return maxEntries, maxWeight
}
