package signal

import (
	"math"
	"time"
)

// The format of a published value, version 1. Integers and IEEE floats are little-endian.
//
//	header  version u8 | half-lives in seconds 3×u16 | boot u64 | sequence u64 | entries u16
//	entry   key u64 | in flight u16 | cooldown left u32 | failures f32 | attempts f32 | classes u8 | per class, TTFT first:
//	class   since success u32 | since failure u32 | 3 × (sum f32, weight f32)
//
// Times are milliseconds; never is the greatest value. The lowest bits of classes say which class follows. All
// weights are aged to the moment of encoding and go on ageing from the moment of receipt. Half-lives
// that differ from the reader's (two versions during an update) rescale the weights. Boot names the process,
// sequence its values in order: of one boot only a greater sequence is taken in.
const (
	version    = 1
	headerSize = 1 + 3*2 + 8 + 8 + 2
	entrySize  = 8 + 2 + 4 + 4 + 4 + 1
	classSize  = 4 + 4 + rungs*(4+4)

	// maxEntries keeps a value under 46 KiB.
	maxEntries = 512
	maxWeight  = 1e6
	// minWeight is the least weight whose sum f32 still holds with all its digits.
	minWeight = 1e-30
	// rounding is what f32 may add to a mean that sits on a bound.
	rounding = 1e-6
	never    = math.MaxUint32
)

var halfLives = [rungs]time.Duration{fast, middle, slow}
