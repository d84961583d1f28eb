package signal

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// sampleBoard holds one key of each sort.
func sampleBoard() *Board {
	b := NewBoard()
	b.boot = 0x1122334455667788
	b.Succeed(0x0a, TTFT, ms(250), 0, at(-3))
	b.Fail(0x0a, TTFT, ms(20), 0, at(-1))
	b.Succeed(0x0a, Total, ms(4000), 0, at(-10))
	b.Begin(0x0a)
	b.Begin(0x0a)
	b.Succeed(0x0a, TTFT, ms(300), 4, at(-1))
	b.Fail(0x0b, Total, ms(5), 0, at(-2))
	b.Cool(0x0b, at(9.5), at(-2))
	b.Begin(0x0c)
	b.Warm(0x0d) // a row with nothing to say
	return b
}

// detailedBoard is the sample board with one key more, which has every section.
func detailedBoard() *Board {
	b := sampleBoard()
	b.Want(map[Key]Detail{0x0e: WantSpread | WantThroughput})
	for i := range 10 {
		b.Succeed(0x0e, TTFT, ms(100*float64(i+1)), i, at(-60))
	}
	b.Succeed(0x0e, Total, ms(3000), 1, at(-1))
	b.Produced(0x0e, TTFT, 250, 5*time.Second, at(-60))
	b.Produced(0x0e, Total, 80, 3*time.Second, at(-1))
	b.Limited(0x0e, Quota{Limit{0.25, 20 * time.Second}, Limit{0.75, 6 * time.Minute}}, at(-1))
	return b
}

func golden(t *testing.T, version string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/version" + version + ".hex")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestWireFormatIsTheGoldenOne(t *testing.T) {
	if got, want := detailedBoard().Encode(nil, start), golden(t, "3"); !bytes.Equal(got, want) {
		t.Errorf("the format has changed, which takes a new version:\n got %x\nwant %x", got, want)
	}
}

// What version 2 wrote is read, and what is written to it is what it wrote itself, but for who reads what.
func TestVersion2IsReadAndWritten(t *testing.T) {
	old, reader := golden(t, "2"), NewBoard()
	p, err := Decode(old, start)
	if err != nil || p.Rejected != 0 || p.reads != 2 {
		t.Fatalf("a value of version 2: got %+v and error %v, want it taken in", p, err)
	}
	reader.SetPeer("old", p)
	reader.Fold(start)
	for _, k := range []Key{0x0a, 0x0b, 0x0c, 0x0d} {
		if got, want := reader.Estimate(k, TTFT, start), sampleBoard().Estimate(k, TTFT, start); !sameEstimate(got, want, 1e-6) {
			t.Errorf("key %d: got %+v, want %+v", k, got, want)
		}
	}
	b := sampleBoard()
	b.Want(map[Key]Detail{0x0a: WantSpread | WantThroughput})
	b.Limited(0x0a, Quota{}, start)
	b.speaks.Store(2)
	got := b.Encode(nil, start)
	if sequence := headerSize - 3; got[sequence] != version {
		t.Errorf("the value says that its writer reads version %d, want %d", got[sequence], version)
	} else if got[sequence] = 0; !bytes.Equal(got, old) {
		t.Errorf("what is written to version 2:\n got %x\nwant %x", got, old)
	}
}

// inVersion2 is what a node of version 2 has written that nobody else has been like.
func inVersion2(t *testing.T) *Peer {
	t.Helper()
	raw := golden(t, "2")
	raw[headerSize-18]++ // the boot: another process than that of sampleBoard
	p, err := Decode(raw, start)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestVersion2IsWrittenWhileOneLivesThatReadsNoMore(t *testing.T) {
	b, other := detailedBoard(), detailedBoard()
	other.boot = 7
	tells := func() (version byte) { return b.Encode(nil, start)[0] }
	b.SetPeer("other", send(t, other, start))
	b.Fold(start)
	if got := tells(); got != 3 {
		t.Errorf("among nodes of version 3: got version %d, want 3", got)
	}
	b.SetPeer("old", inVersion2(t))
	b.Fold(start)
	if !b.Moved(start) || tells() != 2 {
		t.Error("with a node of version 2: want version 2, and at once")
	}
	other.speaks.Store(2) // has heard of it as well: from a value of version 2, too, one sees that it reads version 3
	other.Begin(1)
	b.SetPeer("other", send(t, other, start))
	b.Gone("old", start)
	b.Fold(start)
	if !b.Moved(start) || tells() != 3 {
		t.Error("once that node is gone: want version 3 again, and at once")
	}
}

func TestRootIsReadByEveryMember(t *testing.T) {
	aggregator, member := NewBoard(), detailedBoard()
	aggregator.Reset(map[string]*Peer{"old": inVersion2(t), "new": send(t, member, start)}, start)
	aggregator.Fold(start)
	root := aggregator.EncodeFold(nil, start)
	if root[0] != 2 {
		t.Fatalf("with a member of version 2: got a root of version %d, want 2", root[0])
	}
	p, err := Decode(root, start)
	if err != nil || p.Rejected != 0 {
		t.Fatalf("the root does not decode: %v", err)
	}
	member.SetRoot(p, nil)
	member.Fold(start)
	if got := member.Encode(nil, start)[0]; got != 3 {
		t.Errorf("to an aggregator that reads version 3: got version %d, want 3", got)
	}
	root[headerSize-3] = 0 // one that does not
	p, err = Decode(root, start)
	if err != nil {
		t.Fatal(err)
	}
	member.SetRoot(p, nil)
	member.Fold(start)
	if got := member.Encode(nil, start)[0]; got != 2 {
		t.Errorf("to an aggregator of version 2: got version %d, want 2", got)
	}
}

func TestDecodeReadsBackWhatEncodeWrote(t *testing.T) {
	b, reader := sampleBoard(), NewBoard()
	reader.SetPeer("a", send(t, b, start))
	reader.Fold(start)
	for _, k := range []Key{0x0a, 0x0b, 0x0c, 0x0d} {
		for c := range Class(classes) {
			got, want := reader.Estimate(k, c, start), b.Estimate(k, c, start)
			if !sameEstimate(got, want, 1e-6) || got.Inflight != want.Inflight || got.Cooling != want.Cooling {
				t.Errorf("key %d, %v: got %+v, want %+v", k, c, got, want)
			}
		}
	}
}

// change returns the encoded sample board with the bytes at offset replaced.
func change(offset int, with ...byte) []byte {
	raw := sampleBoard().Encode(nil, start)
	copy(raw[offset:], with)
	return raw
}

// changeDetail is change for the detailed board; the offset is that in the sections of its last entry beyond the
// classes.
func changeDetail(offset int, with ...byte) []byte {
	raw := detailedBoard().Encode(nil, start)
	copy(raw[len(raw)-detailSize(raw)+offset:], with)
	return raw
}

// detailSize is the length of those sections.
func detailSize(raw []byte) int {
	p, err := Decode(raw, start)
	if err != nil {
		panic(err)
	}
	size := quotaSize
	for _, x := range p.entries[len(p.entries)-1].parts.class {
		size += spreadSize + bucketSize*len(x.spread.buckets) + outputSize
	}
	return size
}

func f32(v float64) []byte {
	return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v)))
}

func TestDecodeRefusesWhatItCannotWalk(t *testing.T) {
	whole := sampleBoard().Encode(nil, start)
	for name, raw := range map[string][]byte{
		"empty":                      nil,
		"an older version":           change(0, 1),
		"a newer version":            change(0, 4),
		"details in version 2":       append([]byte{2}, detailedBoard().Encode(nil, start)[1:]...),
		"an unknown kind":            change(1, 2),
		"half-life of zero":          change(2, 0, 0),
		"half-life over an hour":     change(2, 0xff, 0xff),
		"more entries than stated":   change(headerSize-2, 1, 0),
		"fewer than stated":          change(headerSize-2, 9, 0),
		"too many entries":           change(headerSize-2, 1, 2),
		"an unknown section":         change(headerSize+entrySize-1, 0x83),
		"a spread that is not there": change(headerSize+entrySize-1, 7),
		"trailing bytes":             append(whole[:len(whole):len(whole)], 0),
	} {
		if p, err := Decode(raw, start); err == nil {
			t.Errorf("%s: got %+v, want an error", name, p)
		}
	}
	whole = detailedBoard().Encode(nil, start)
	for n := range whole {
		if _, err := Decode(whole[:n], start); err == nil {
			t.Errorf("the first %d of %d bytes decode, want an error", n, len(whole))
		}
	}
}

func TestDecodeLeavesOutEntriesBeyondTheBounds(t *testing.T) {
	const entry, class, fit = headerSize, headerSize + entrySize, headerSize + entrySize + 8 + rungs*8
	for name, raw := range map[string][]byte{
		"cooldown over a day":     change(entry+12, 0xff, 0xff, 0xff, 0x7f),
		"attempts infinite":       change(entry+16, f32(math.Inf(1))...),
		"attempts over a million": change(entry+16, f32(1.1e6)...),
		"failures NaN":            change(entry+20, f32(math.NaN())...),
		"failures negative":       change(entry+20, f32(-1)...),
		"failures over attempts":  change(entry+20, f32(50)...),
		"loads NaN":               change(entry+24, f32(math.NaN())...),
		"loads negative":          change(entry+24, f32(-1)...),
		"loads beyond all":        change(entry+24, f32(1e11)...),
		"never seen":              change(class, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
		"weight NaN":              change(class+8, f32(math.NaN())...),
		"weight negative":         change(class+8, f32(-1)...),
		"weight over a million":   change(class+8, append(f32(2e6), f32(2e6)...)...),
		"sum without weight":      change(class+8, f32(0)...),
		"sum NaN":                 change(class+12, f32(math.NaN())...),
		"sum infinite":            change(class+12, f32(math.Inf(1))...),
		"sum negative":            change(class+12, f32(-1)...),
		"mean under 1 ms":         change(class+12, f32(1e-9)...),
		"mean over an hour":       change(class+12, f32(1e4)...),
		"fit weight NaN":          change(fit, f32(math.NaN())...),
		"fit over a million":      change(fit, f32(1.1e6)...),
		"fit without weight":      change(fit, f32(0)...),
		"fit load negative":       change(fit+4, f32(-1)...),
		"fit load NaN":            change(fit+4, f32(math.NaN())...),
		"fit latency beyond all":  change(fit+8, f32(99)...),
		"fit square negative":     change(fit+12, f32(-1)...),
		"fit product infinite":    change(fit+16, f32(math.Inf(-1))...),
		"fit square beyond all":   change(fit+20, f32(1e3)...),
		"a key twice":             change(entry, 0x0b),
	} {
		p, err := Decode(raw, start)
		if err != nil {
			t.Errorf("%s: got error %v, want the entry left out", name, err)
			continue
		}
		if p.Rejected != 1 || len(p.entries) != 2 {
			t.Errorf("%s: got %d rejected and %d taken, want 1 and 2", name, p.Rejected, len(p.entries))
		}
	}
}

func TestDecodeLeavesOutDetailsBeyondTheBounds(t *testing.T) {
	raw := detailedBoard().Encode(nil, start)
	output := detailSize(raw) - quotaSize - 2*outputSize
	limits := detailSize(raw) - quotaSize
	for name, raw := range map[string][]byte{
		"spread weight NaN":            changeDetail(0, f32(math.NaN())...),
		"spread weight negative":       changeDetail(0, f32(-1)...),
		"spread weight over a million": changeDetail(0, f32(1.1e6)...),
		"a bucket beyond all":          changeDetail(spreadSize, buckets),
		"a bucket twice":               changeDetail(spreadSize+bucketSize, raw[len(raw)-detailSize(raw)+spreadSize]),
		"a bucket with nothing":        changeDetail(spreadSize+1, 0, 0),
		"answers NaN":                  changeDetail(output, f32(math.NaN())...),
		"answers infinite":             changeDetail(output, f32(math.Inf(1))...),
		"output without answers":       changeDetail(output, f32(0)...),
		"seconds NaN":                  changeDetail(output+4, f32(math.NaN())...),
		"seconds of none":              changeDetail(output+4, f32(0)...),
		"seconds over hours":           changeDetail(output+4, f32(1e6)...),
		"tokens NaN":                   changeDetail(output+8, f32(math.NaN())...),
		"tokens negative":              changeDetail(output+8, f32(-1)...),
		"tokens of no upstream":        changeDetail(output+8, f32(1e6)...),
		"a quota never said":           changeDetail(limits, 0xff, 0xff, 0xff, 0xff),
		"a reset after a day":          changeDetail(limits+6, 0xff, 0xff, 0xff, 0x7f),
	} {
		p, err := Decode(raw, start)
		if err != nil {
			t.Errorf("%s: got error %v, want the entry left out", name, err)
			continue
		}
		if p.Rejected != 1 || len(p.entries) != 3 {
			t.Errorf("%s: got %d rejected and %d taken, want 1 and 3", name, p.Rejected, len(p.entries))
		}
	}
}

func TestDecodeTakesNoMoreDetailsThanTheirBound(t *testing.T) {
	h := header{version, ofMember, 1, 1}
	entries := make([]entry, maxDetails+1)
	for i := range entries {
		p := &parts{}
		p.class[TTFT].spread = sparse{1, wholeShare, []bucket{{1, wholeShare}}}
		entries[i] = entry{key: Key(i), inflight: 1, parts: p}
	}
	raw := h.append(nil, entries[:maxDetails], start)
	one := h.append(nil, entries[maxDetails:], start)
	raw = append(raw, one[headerSize:]...)
	raw[headerSize-2]++
	p, err := Decode(raw, start)
	if err != nil || p.Rejected != 1 || len(p.entries) != maxDetails {
		t.Errorf("got %+v and error %v, want one entry rejected", p, err)
	}
}

func TestOtherHalfLivesRescaleTheWeights(t *testing.T) {
	b := NewBoard()
	b.Succeed(1, TTFT, ms(200), 0, start)
	raw := b.Encode(nil, start)
	copy(raw[4:], []byte{20, 0}) // a peer whose middle half-life is twice ours
	p, err := Decode(raw, start)
	if err != nil {
		t.Fatal(err)
	}
	got := p.entries[0].record
	if w := got.class[TTFT].sums[1]; !near(w.w, 0.5, 1e-6) || !near(w.mean(), 0.2, 1e-6) || !near(got.attempts, 0.5, 1e-6) {
		t.Errorf("got weight %v, mean %v, attempts %v; want 0.5, 0.2, 0.5", w.w, w.mean(), got.attempts)
	}
}

func TestAbsurdTrafficStaysWithinTheBoundsOfTheWire(t *testing.T) {
	b, reader := NewBoard(), NewBoard()
	b.Succeed(1, TTFT, ms(200), 0, start)
	r := b.row(1)
	r.record.attempts, r.record.failures = 5e6, 1e6
	for i := range r.record.class[TTFT].sums {
		r.record.class[TTFT].sums[i] = sum{1e6, 5e6}
	}
	reader.SetPeer("a", send(t, b, start))
	reader.Fold(start)
	if got := reader.Estimate(1, TTFT, start); !near(got.Latency, 0.2, 1e-5) || !near(got.Failures, 0.2, 1e-5) {
		t.Errorf("got latency %v and failures %v, want 0.2 and 0.2", got.Latency, got.Failures)
	}
}

func TestNothingThatPeersClaimKeepsAnOwnEntryFromBeingRead(t *testing.T) {
	a, b, c := NewBoard(), NewBoard(), NewBoard()
	for _, peer := range []*Board{a, b} {
		peer.row(1).inflight.Store(maxInflight)
	}
	c.SetPeer("a", send(t, a, start))
	c.SetPeer("b", send(t, b, start))
	c.Fold(start)
	c.Cool(1, at(1e6), at(1)) // just before a value is encoded as of a moment earlier
	c.Succeed(1, TTFT, ms(100), c.Begin(1), start)
	c.Fail(1, Total, 0, c.Begin(1), start)
	if p := send(t, c, start); p.Rejected != 0 || len(p.entries) != 1 {
		t.Errorf("got %d entries rejected and %d taken, want 0 and 1", p.Rejected, len(p.entries))
	}
}

func TestEncodeLeavesOutWhatHasBeenIdleLongest(t *testing.T) {
	b := NewBoard()
	for k := range Key(maxEntries + 100) {
		b.Succeed(k, TTFT, ms(100), 0, at(float64(k)))
	}
	b.Cool(7, at(5000), at(0))
	b.Begin(8)
	p := send(t, b, at(maxEntries+100))
	var got []Key
	for _, e := range p.entries[:3] {
		got = append(got, e.key)
	}
	if want := []Key{7, 8, 102}; len(p.entries) != maxEntries || !slices.Equal(got, want) {
		t.Errorf("got %d entries that begin with %v, want %d that begin with %v: one cools, one is in flight", len(p.entries), got, maxEntries, want)
	}
	if b.Moved(at(maxEntries + 100)) {
		t.Error("the keys left out count as moved, want no endless writes")
	}
}

func TestIdleKeysLeaveTheWireAfterTheMemory(t *testing.T) {
	b := NewBoard()
	b.Succeed(1, TTFT, ms(100), 0, start)
	for _, tc := range []struct {
		after time.Duration
		want  int
	}{{memory, 1}, {memory + time.Second, 0}} {
		if p := send(t, b, start.Add(tc.after)); len(p.entries) != tc.want {
			t.Errorf("%v after the last sample: got %d entries, want %d", tc.after, len(p.entries), tc.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	f.Add(sampleBoard().Encode(nil, start))
	f.Add(NewBoard().Encode(nil, start))
	f.Add(change(headerSize+entrySize+12, f32(math.NaN())...))
	f.Add(change(headerSize-2, 1, 0))
	f.Add(change(1, 1))
	f.Add(change(0, 2))
	f.Add(detailedBoard().Encode(nil, start))
	f.Add(changeDetail(0, f32(1e-40)...))
	f.Add(changeDetail(spreadSize+1, 0xff, 0xff))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := Decode(raw, start)
		if err != nil {
			return
		}
		if limit, _ := p.kind.limits(); len(p.entries)+p.Rejected > limit {
			t.Fatalf("%d entries and %d rejected are more than %d", len(p.entries), p.Rejected, limit)
		}
		b := NewBoard()
		if p.kind == ofAll {
			b.SetRoot(p, p)
		} else {
			b.SetPeer("a", p)
		}
		for _, now := range []time.Time{start, at(1), at(1e4)} {
			b.Fold(now)
			for _, k := range b.Keys(now) {
				checkFinite(t, b.Estimate(k, TTFT, now))
				checkFinite(t, b.Estimate(k, Total, now))
			}
			for _, e := range p.entries {
				checkDetails(t, b, e.key, now)
			}
		}
	})
}

func checkDetails(t *testing.T, b *Board, k Key, now time.Time) {
	t.Helper()
	for c := range Class(classes) {
		s := b.Spread(k, c, now)
		if !(s.Weight >= 0 && s.P50 >= 0 && s.P50 <= s.P90 && s.P90 <= s.P99 && s.P99 < 3800) || (s.Weight > 0) != (s.P50 > 0) {
			t.Fatalf("got %+v, want percentiles within bounds and in order", s)
		}
	}
	if speed, answers := b.Throughput(k, now); !(speed >= 0 && speed <= maxSpeed*1.001 && answers >= 0) {
		t.Fatalf("got %v tokens a second of %v answers, want them within bounds", speed, answers)
	}
	if left, _ := b.Quota(k, now); !(left >= 0 && left <= 1) {
		t.Fatalf("a share of %v is left, want 0 to 1", left)
	}
}

func checkFinite(t *testing.T, e Estimate) {
	t.Helper()
	for _, v := range append(e.Rungs[:], e.Latency, e.Weight, e.Failures, e.Attempts, e.Load, e.ElasticityError) {
		if v == e.ElasticityError && math.IsInf(v, 1) {
			continue
		}
		if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			t.Fatalf("got %+v, want finite numbers that are not negative", e)
		}
	}
	if math.IsNaN(e.Elasticity) || math.IsInf(e.Elasticity, 0) {
		t.Fatalf("got %+v, want a finite elasticity", e)
	}
	if e.Latency > 3601 || e.Failures > 1 || e.Cooling < 0 || e.SinceSample < 0 || e.Inflight < 0 {
		t.Fatalf("got %+v, want all within bounds", e)
	}
}
