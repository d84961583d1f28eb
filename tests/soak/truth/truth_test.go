package truth_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/tests/soak/truth"
)

func answerTo(id string, hit int) truth.Answer {
	return truth.Answer{ID: id, Hit: hit, Model: "m", Words: 4, Padding: 3}
}

func script(a truth.Answer, usage bool) [][]byte {
	out := [][]byte{a.Role(usage)}
	for i := range a.Words {
		out = append(out, a.Word(i, usage))
	}
	out = append(out, a.Finish(usage))
	if usage {
		out = append(out, a.Usage())
	}
	return append(out, []byte(truth.Done))
}

// read returns the first complaint about the events, or the stream that they make.
func read(usage bool, events [][]byte) (truth.Stream, error) {
	s := truth.Stream{ID: "r1", Usage: usage}
	for _, e := range events {
		if err := s.Event(e); err != nil {
			return s, err
		}
	}
	return s, nil
}

func TestAWholeStreamIsWhole(t *testing.T) {
	for _, usage := range []bool{false, true} {
		s, err := read(usage, script(answerTo("r1", 2), usage))
		if err != nil || !s.Done || s.Words != 4 || s.Answer.Hit != 2 {
			t.Errorf("usage %v: got %+v, %v, want 4 words of hit 2 and the end", usage, s, err)
		}
	}
}

func TestEveryDamageToAStreamIsFound(t *testing.T) {
	good := script(answerTo("r1", 2), true)
	other, again := script(answerTo("r9", 2), true), script(answerTo("r1", 1), true)
	for name, events := range map[string][][]byte{
		"another request's":         other,
		"without usage":             slices.Delete(slices.Clone(good), 6, 7),
		"usage that nobody wants":   script(answerTo("r1", 2), false),
		"something after the end":   append(slices.Clone(good), good[2]),
		"two answers":               append(slices.Clone(good[:len(good)-1]), good...),
		"a word in another's place": slices.Concat(good[:2], other[2:3], good[3:]),
		"glued from two attempts":   slices.Concat(again[:3], good[3:]),
		"the role of another":       slices.Concat(again[:1], good[1:]),
	} {
		if s, err := read(true, events); err == nil {
			t.Errorf("%s: got %+v and no complaint", name, s)
		}
	}
	for i := range good {
		dropped := slices.Delete(slices.Clone(good), i, i+1)
		if s, err := read(true, dropped); err == nil && s.Done && i != 0 { // the role may be left out
			t.Errorf("without event %d: got %+v and no complaint", i, s)
		}
		doubled := slices.Insert(slices.Clone(good), i, good[i])
		if s, err := read(true, doubled); err == nil {
			t.Errorf("event %d twice: got %+v and no complaint", i, s)
		}
		for at := 0; at < len(good[i]); at += 7 {
			damaged := slices.Clone(good)
			damaged[i] = bytes.Clone(good[i])
			damaged[i][at] ^= 1
			if s, err := read(true, damaged); err == nil && s.Done {
				t.Errorf("byte %d of event %d changed: got %+v and no complaint", at, i, s)
			}
		}
	}
}

func TestEveryDamageToAWholeAnswerIsFound(t *testing.T) {
	good := answerTo("r1", 2).Whole()
	if a, err := truth.ReadWhole("r1", good); err != nil || a.Hit != 2 {
		t.Errorf("got %+v, %v, want hit 2", a, err)
	}
	if _, err := truth.ReadWhole("r2", good); err == nil {
		t.Errorf("got no complaint about the answer to another request")
	}
	for at := range good {
		damaged := bytes.Clone(good)
		damaged[at] ^= 1
		if _, err := truth.ReadWhole("r1", damaged); err == nil {
			t.Errorf("byte %d changed: got no complaint about %s", at, damaged)
		}
		if _, err := truth.ReadWhole("r1", good[:at]); err == nil {
			t.Errorf("cut at byte %d: got no complaint", at)
		}
	}
}

func TestARequestSaysWhoseItIsAndWhetherItIsWhole(t *testing.T) {
	q := truth.Question{ID: "r1", Model: "m", Stream: true, Usage: true, Padding: 100}
	asked, err := truth.Read(q.Body())
	if want := (truth.Asked{ID: "r1", Model: "m", Stream: true, Usage: true}); err != nil || asked != want {
		t.Errorf("got %+v, %v, want %+v", asked, err, want)
	}
	for from, to := range map[string]string{"r1 ": "r2 ", "prompt prompt": "prompt", "1.50": "1.5", `\u00e4\/`: "ä/"} {
		damaged := strings.Replace(string(q.Body()), from, to, 1)
		if _, err := truth.Read([]byte(damaged)); err == nil {
			t.Errorf("%q for %q: got no complaint about %s", to, from, damaged)
		}
	}
}
