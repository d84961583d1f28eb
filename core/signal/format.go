package signal

import (
	"math"
	"time"
)

// The format of a published value, version 3. Integers and IEEE floats are little-endian.
//
//	header  version u8 | kind u8 | half-lives in seconds, the trend's last, 4×u16 | boot u64 | sequence u64 | entries u16
//	entry   key u64 | in flight u32 | cooldown left u32 | attempts f32 | failures f32 | loads f32 | sections u8 | the sections, in this order:
//	class   since success u32 | since failure u32 | 3 × (weight f32, sum f32) | fit: w, x, y, xx, xy, yy f32
//	spread  weight f32 | buckets u8 | per bucket, ascending: index u8, share of the weight u16
//	output  answers f32 | seconds f32 | tokens f32
//	quota   since it was said u32 | requests, tokens: used share u16, time until reset u32
//
// A value is a member's own state or a root: what an aggregator has folded of all members.
// Times are milliseconds; never is the greatest value. The bits of sections say which follow: from the lowest, class,
// spread and output of TTFT and of Total each, and quota. All weights are aged to the moment of encoding and go on
// ageing from the moment of receipt. Half-lives that differ from the reader's (two versions during an update)
// rescale the weights. Boot names the process, sequence its values in order: of one boot only a greater sequence
// is taken in.
//
// Version 2 is the same without spread, output and quota. Its nodes take in nothing else, so that a node writes version 2
// while one that reads no more than that lives. The highest byte of the sequence tells which version a writer reads;
// zero, as in all that version 2 wrote: none but its own.
const (
	version    = 3
	oldest     = 2 // version that is read
	detailed   = 3 // version from which on there are spread, output and quota
	readsShift = 56
	headerSize = 1 + 1 + lives*2 + 8 + 8 + 2
	entrySize  = 8 + 4 + 4 + 3*4 + 1
	classSize  = 4 + 4 + rungs*(4+4) + 6*4
	spreadSize = 4 + 1 // without its buckets
	bucketSize = 1 + 2
	outputSize = 3 * 4
	quotaSize  = 4 + quotas*(2+4)

	// maxEntries keeps a value under 79 KiB, and maxRoot a root under 628 KiB. maxDetails and maxRootDetails are how many
	// entries may have spread or output: 59 KiB and 470 KiB more if all buckets were used, a fifth of that as a
	// rule. Both together stay within what etcd takes, 1.5 MiB.
	maxEntries     = 512
	maxRoot        = 4096
	maxDetails     = 64
	maxRootDetails = 512

	maxWeight = 1e6
	// maxTotal bounds the weights of a root: those of a thousand members.
	maxTotal = 1000 * maxWeight
	// minWeight is the least weight whose sum f32 still holds with all its digits.
	minWeight = 1e-30
	// rounding is what f32 may add to a mean that sits on a bound.
	rounding = 1e-6
	never    = math.MaxUint32
)

// Bits of an entry's sections; those of the class Total are one higher.
const (
	hasClass  byte = 1 << 0
	hasSpread byte = 1 << 2
	hasOutput byte = 1 << 4
	hasQuota  byte = 1 << 6

	oldSections = hasClass | hasClass<<1
	allSections = hasQuota<<1 - 1
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

// details returns how many entries may have spread or output.
func (k kind) details() int {
	if k == ofAll {
		return maxRootDetails
	}
	return maxDetails
}
