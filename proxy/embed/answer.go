package embed

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/vector"
	"github.com/sluice-gateway/sluice/proxy/token"
)

// flaw is what is wrong with an answer.
type flaw struct {
	cause     Cause
	detail    string
	dimension int
}

func (f *flaw) Error() string { return string(f.cause) + ": " + f.detail }

// answer is what has been read of one.
type answer struct {
	r *token.Reader
	// vectors holds them by index, none where none has come.
	vectors   []vector.Unit
	dimension int // 0: not known yet
	listed    bool
	seen      int
	// scratch holds the vector that is being read.
	scratch []float32
}

// decode reads the answer to a call with n texts. A dimension of 0 is any, as long as it is one. The error is a *flaw.
func decode(body []byte, n, dimension int) ([]vector.Unit, error) {
	a := answer{r: token.Open(body), vectors: make([]vector.Unit, n), dimension: dimension}
	defer a.r.Close()
	if err := a.object(); err != nil {
		return nil, err
	}
	switch {
	case !a.r.End():
		return nil, &flaw{cause: NotJSON}
	case !a.listed:
		return nil, &flaw{cause: NoList}
	case a.seen != n:
		return nil, &flaw{cause: WrongCount, detail: fmt.Sprintf("%d for %d texts", a.seen, n)}
	}
	return a.vectors, nil
}

func (a *answer) object() error {
	for name := range a.r.Members {
		if string(token.Text(name)) != "data" || a.r.Kind() != '[' {
			a.r.Value()
			continue
		}
		a.listed = true
		for range a.r.Elements {
			if err := a.entry(); err != nil {
				return err
			}
		}
	}
	return nil
}

// entry reads one entry of the list.
func (a *answer) entry() error {
	if a.seen++; a.seen > len(a.vectors) {
		return &flaw{cause: WrongCount, detail: fmt.Sprintf("more than %d", len(a.vectors))}
	}
	var index jsontext.Value
	given := false
	for name := range a.r.Members {
		switch string(token.Text(name)) {
		case "index":
			index = a.r.Value()
		case "embedding":
			given = a.r.Kind() != 'n'
			if err := a.embedding(); err != nil {
				return err
			}
		default:
			a.r.Value()
		}
	}
	switch {
	case a.r.Err() != nil:
		return &flaw{cause: NotJSON}
	case !given:
		return &flaw{cause: NullVector}
	}
	at, err := a.place(index)
	if err != nil {
		return err
	}
	a.vectors[at], err = a.unit()
	return err
}

// place returns where the entry of that index belongs.
func (a *answer) place(index jsontext.Value) (int, error) {
	switch index.Kind() {
	case 0, 'n':
		return 0, &flaw{cause: MissingIndex}
	case '0':
		at, err := strconv.Atoi(string(index))
		if err != nil || at < 0 || at >= len(a.vectors) {
			return 0, &flaw{cause: BadIndex}
		}
		if a.vectors[at].Dimension() > 0 {
			return 0, &flaw{cause: DuplicateIndex, detail: strconv.Itoa(at)}
		}
		return at, nil
	}
	return 0, &flaw{cause: BadIndex}
}

func (a *answer) unit() (vector.Unit, error) {
	if a.dimension == 0 {
		a.dimension = len(a.scratch)
	}
	if n := len(a.scratch); n == 0 || n > core.MaxDimensions || n != a.dimension {
		return vector.Unit{}, &flaw{cause: WrongDimension, detail: fmt.Sprintf("%d, not %d", n, a.dimension), dimension: n}
	}
	u, err := vector.Normalise(a.scratch)
	switch {
	case errors.Is(err, vector.ErrZero):
		return u, &flaw{cause: ZeroNorm}
	case err != nil:
		return u, &flaw{cause: NotNumeric}
	}
	return u, nil
}

// embedding reads a vector into scratch: a list of numbers, as was asked for, or the base64 of float32 values, which
// some servers send whatever they are asked for.
func (a *answer) embedding() error {
	a.scratch = a.scratch[:0]
	switch a.r.Kind() {
	case '[':
		return a.list()
	case '"':
		return a.packed(a.r.Value())
	case 'n':
		a.r.Value()
		return nil
	}
	if a.r.Value(); a.r.Err() != nil {
		return &flaw{cause: NotJSON}
	}
	return &flaw{cause: NotNumeric}
}

func (a *answer) list() error {
	a.scratch = slices.Grow(a.scratch, a.dimension)
	for range a.r.Elements {
		element := a.r.Value()
		if a.r.Err() != nil {
			return &flaw{cause: NotJSON}
		}
		// What is too large for a float32 is an error; what is too small is 0.
		f, err := strconv.ParseFloat(string(element), 32)
		if element.Kind() != '0' || err != nil {
			return &flaw{cause: NotNumeric, detail: "element " + strconv.Itoa(len(a.scratch))}
		}
		a.scratch = append(a.scratch, float32(f))
	}
	return nil
}

func (a *answer) packed(text jsontext.Value) error {
	if a.r.Err() != nil {
		return &flaw{cause: NotJSON}
	}
	raw, err := base64.StdEncoding.AppendDecode(nil, token.Text(text))
	if err != nil || len(raw)%4 != 0 {
		return &flaw{cause: NotNumeric, detail: "base64"}
	}
	for ; len(raw) > 0; raw = raw[4:] {
		a.scratch = append(a.scratch, math.Float32frombits(binary.LittleEndian.Uint32(raw)))
	}
	return nil
}
