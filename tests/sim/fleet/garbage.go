package fleet

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/tests/sim/engine"
)

// Garbage lets so many peers write, every interval, what no sound version of the product would: noise, cut values,
// other versions, and numbers that are none or out of all bounds, about the keys that the fleet uses.
func (f *Fleet) Garbage(peers int, keys []signal.Key) {
	for i := range peers {
		l := &line{name: fmt.Sprintf("garbage-%d", i)}
		f.lines = append(f.lines, l)
		draw := engine.Stream(f.cfg.Seed, "garbage", uint64(i))
		board := signal.NewBoard()
		var write func()
		write = func() {
			now := f.engine.Now()
			for _, k := range keys {
				board.Succeed(k, signal.Total, time.Minute, 1, engine.Wall(now))
			}
			l.write(now, spoil(board.Encode(nil, engine.Wall(now)), draw))
			if !f.closed {
				f.engine.After(f.cfg.Every, write)
			}
		}
		write()
	}
}

// Offsets in the format of core/signal: the version is the first byte and the number of entries stands before the
// first of them.
const (
	versionAt = 0
	// floats is from where on a value holds little but floats.
	floats = 48
)

// spoil breaks a value in one of the ways in which values break.
func spoil(value []byte, draw *rand.Rand) []byte {
	switch draw.IntN(4) {
	case 0:
		for i := range value {
			value[i] = byte(draw.Uint32())
		}
	case 1:
		value = value[:draw.IntN(len(value))]
	case 2:
		value[versionAt] += byte(1 + draw.IntN(100))
	default:
		value = overwrite(value, draw)
	}
	return value
}

// overwrite puts a number that no sum or weight can be over all floats.
func overwrite(value []byte, draw *rand.Rand) []byte {
	bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, math.MaxFloat32}
	bits := math.Float32bits(float32(bad[draw.IntN(len(bad))]))
	value = slices.Clone(value)
	for at := floats; at+4 <= len(value); at += 4 {
		binary.LittleEndian.PutUint32(value[at:], bits)
	}
	return value
}
