package embed

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/vector"
)

// plain reads an answer in the plainest way there is.
func plain(body []byte, n int) ([]vector.Unit, bool) {
	var a struct {
		Data []struct {
			Index     *int
			Embedding []float32
		}
	}
	if json.Unmarshal(body, &a) != nil || len(a.Data) != n {
		return nil, false
	}
	out := make([]vector.Unit, n)
	for _, e := range a.Data {
		if e.Index == nil || *e.Index < 0 || *e.Index >= n || out[*e.Index].Dimension() > 0 || len(e.Embedding) != len(a.Data[0].Embedding) {
			return nil, false
		}
		u, err := vector.Normalise(e.Embedding)
		if err != nil {
			return nil, false
		}
		out[*e.Index] = u
	}
	return out, true
}

func FuzzAnswer(f *testing.F) {
	for _, body := range []string{
		`{"data":[{"index":0,"embedding":[1,2]}]}`, `{"data":[{"index":1,"embedding":[1e3,-2]},{"index":0,"embedding":[0.1,2E-1]}],"data":null}`,
		`{"data":[{"index":0,"embedding":"AACAPwAAAEA="}]}`, `{"data":[{"index":0,"embedding":[null]}]}`, `{"data":[null]}`, `{"data":[{"index":0,"index":1}]}`,
		`{"data":{}}`, `[]`, ``, `{"data":[`, `{"data":[{"index":1e0,"embedding":[1]}]}`, `{"data":[{"embedding":[[1]],"index":0}]}`,
	} {
		f.Add([]byte(body), 1, 0)
		f.Add([]byte(body), 2, 2)
	}
	f.Fuzz(func(t *testing.T, body []byte, n, dimension int) {
		if n < 1 || n > MaxBatch || dimension < 0 || dimension > core.MaxDimensions {
			return
		}
		got, err := decode(body, n, dimension)
		if err != nil {
			if e, ok := errors.AsType[*flaw](err); !ok || e.cause == "" || len(e.detail) > 100 || got != nil {
				t.Fatalf("%q: got %v and error %#v", body, got, err)
			}
			return
		}
		if len(got) != n {
			t.Fatalf("%q: got %d vectors, want %d", body, len(got), n)
		}
		for _, u := range got {
			if u.Dimension() == 0 || u.Dimension() != got[0].Dimension() || (dimension != 0 && u.Dimension() != dimension) {
				t.Fatalf("%q: got dimension %d, want %d", body, u.Dimension(), dimension)
			}
		}
		// encoding/json folds case, takes the last of members of one name and knows no base64; where it can read the
		// whole, too, it has to read the same.
		if want, ok := plain(body, n); ok && strings.Count(string(body), "data") == 1 {
			for i := range want {
				if want[i].Dimension() == got[i].Dimension() && !slices.Equal(want[i].Values(), got[i].Values()) {
					t.Fatalf("%q: got %v, want %v", body, got[i], want[i])
				}
			}
		}
	})
}

func TestAnAnswerInAnyOrderIsReadByItsIndexes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dimension := rapid.IntRange(1, MaxBatch).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "dimension")
		at := rapid.Permutation(slices.Collect(func(yield func(int) bool) {
			for i := range n {
				if !yield(i) {
					return
				}
			}
		})).Draw(t, "order")
		var entries []string
		for _, i := range at {
			values := make([]string, dimension)
			for j := range values {
				values[j] = fmt.Sprint(i*dimension + j + 1)
			}
			entries = append(entries, fmt.Sprintf(`{"index":%d,"embedding":[%s]}`, i, strings.Join(values, ",")))
		}
		got, err := decode([]byte(`{"data":[`+strings.Join(entries, ",")+`]}`), n, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, u := range got {
			raw := make([]float32, dimension)
			for j := range raw {
				raw[j] = float32(i*dimension + j + 1)
			}
			if want, _ := vector.Normalise(raw); !slices.Equal(u.Values(), want.Values()) {
				t.Fatalf("text %d: got %v, want %v", i, u, want)
			}
		}
	})
}

// finite draws a vector that has a direction.
func finite(t *rapid.T) vector.Unit {
	u, err := vector.Normalise(rapid.SliceOfN(rapid.Float32Range(-1e30, 1e30), 1, 40).Filter(func(v []float32) bool {
		return slices.ContainsFunc(v, func(x float32) bool { return x != 0 })
	}).Draw(t, "vector"))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestAStoredVectorIsReadBitForBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := finite(t)
		got, err := decodeStored(encode(u))
		if err != nil || !slices.Equal(got.Values(), u.Values()) {
			t.Fatalf("got %v and error %v, want %v", got, err, u)
		}
	})
}

func TestWhatIsNoStoredVectorIsRefused(t *testing.T) {
	unit, _ := vector.Normalise([]float32{3, 4})
	good := encode(unit)
	with := func(at int, b byte) []byte {
		out := slices.Clone(good)
		out[at] = b
		return out
	}
	large, _ := vector.Normalise(slices.Repeat([]float32{1}, core.MaxDimensions+1))
	for name, value := range map[string][]byte{
		"nothing": {}, "a version alone": {layout}, "another version": with(0, 2), "a byte short": good[:8], "a byte more": append(slices.Clone(good), 0),
		"an element short": good[:5], "NaN": with(4, 0x7f), "an exponent changed": with(4, 0x41), "zeros": {layout, 0, 0, 0, 0}, "too large": encode(large),
	} {
		if u, err := decodeStored(value); !errors.Is(err, errStored) || u.Dimension() != 0 {
			t.Errorf("%s: got %v and error %v", name, u, err)
		}
	}
	if u, err := decodeStored(good); err != nil || u.Dimension() != 2 {
		t.Errorf("the good one: got %v and error %v", u, err)
	}
}

func FuzzStored(f *testing.F) {
	u, _ := vector.Normalise([]float32{3, -4, 1e-3})
	f.Add(encode(u))
	f.Add([]byte{layout, 0, 0, 0x80, 0x3f})
	f.Add([]byte{layout, 0, 0, 0xc0, 0x7f})
	f.Fuzz(func(t *testing.T, value []byte) {
		u, err := decodeStored(value)
		if err != nil {
			if u.Dimension() != 0 {
				t.Fatalf("%x: got %v and error %v", value, u, err)
			}
			return
		}
		square := 0.0
		for _, v := range u.Values() {
			square += float64(v) * float64(v)
		}
		if math.Abs(square-1) > 1e-5 || u.Dimension() != (len(value)-1)/4 {
			t.Fatalf("%x: got %v of length² %v", value, u, square)
		}
		if again, err := decodeStored(encode(u)); err != nil || !slices.Equal(again.Values(), u.Values()) {
			t.Fatalf("%x: stored again it became %v, error %v", value, again, err)
		}
	})
}

func TestRecentKeepsWhatWasUsedLastWithinItsRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const room = 5 * perEntry
		r := newRecent[int](room, 0)
		type kept struct{ key, value, size int }
		var model []kept // the last used first
		find := func(key int) int { return slices.IndexFunc(model, func(k kept) bool { return k.key == key }) }
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			key := rapid.IntRange(0, 9).Draw(t, "key")
			at := find(key)
			if rapid.Bool().Draw(t, "get") {
				got, ok := r.get(Key{byte(key)})
				if ok != (at >= 0) || (ok && got != model[at].value) {
					t.Fatalf("got %d, %t; want %v", got, ok, model)
				}
				if ok {
					model = slices.Insert(slices.Delete(slices.Clone(model), at, at+1), 0, model[at])
				}
				continue
			}
			k := kept{key, rapid.Int().Draw(t, "value"), rapid.SampledFrom([]int{0, 1, perEntry, 3 * perEntry, room - perEntry, room}).Draw(t, "size")}
			r.put(Key{byte(key)}, k.value, k.size)
			if at >= 0 {
				model = slices.Delete(model, at, at+1)
			}
			if k.size+perEntry <= room {
				model = slices.Insert(model, 0, k)
			}
			for used := 0; ; used = 0 {
				for _, k := range model {
					used += k.size + perEntry
				}
				if used <= room {
					if r.used != used || r.order.Len() != len(model) || len(r.entries) != len(model) {
						t.Fatalf("uses %d for %d entries, want %d for %d", r.used, len(r.entries), used, len(model))
					}
					break
				}
				model = model[:len(model)-1]
			}
		}
	})
}

func BenchmarkDecode1536(b *testing.B) {
	values := make([]string, 1536)
	for i := range values {
		values[i] = fmt.Sprint(math.Sin(float64(i)) / 40)
	}
	body := []byte(`{"object":"list","data":[{"object":"embedding","index":0,"embedding":[` + strings.Join(values, ",") + `]}],"model":"e"}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decode(body, 1, 1536); err != nil {
			b.Fatal(err)
		}
	}
}
