package conversation_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// talker makes bodies whose turns stand in any order, with texts that are empty, white space, or a word of their own.
type talker struct {
	*rand.Rand
	words []string
}

func (k *talker) text() string {
	switch k.IntN(5) {
	case 0:
		return ""
	case 1:
		return ` \n`
	}
	k.words = append(k.words, fmt.Sprintf("word%d.", len(k.words)))
	return k.words[len(k.words)-1]
}

func (k *talker) parts(kind string) string {
	var parts []string
	for range k.IntN(3) {
		parts = append(parts, `{"type":"`+kind+`","text":"`+k.text()+`"}`)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (k *talker) content() string {
	if k.IntN(2) == 0 {
		return k.parts("text")
	}
	return `"` + k.text() + `"`
}

// chat makes a message of a chat request.
func (k *talker) chat(i int) string {
	switch k.IntN(6) {
	case 0:
		return `{"role":"system","content":` + k.content() + `}`
	case 1:
		return `{"role":"tool","tool_call_id":"a.` + fmt.Sprint(k.IntN(3)) + `","content":` + k.content() + `}`
	case 2:
		return fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"a.%d","type":"function","function":{"name":"f","arguments":"%s"}}]}`, i, k.text())
	case 3:
		return `{"role":"assistant","refusal":"` + k.text() + `","content":` + k.content() + `}`
	}
	return `{"role":"user","content":` + k.content() + `}`
}

// messages makes a turn of a messages request.
func (k *talker) messages(i int) string {
	switch k.IntN(6) {
	case 0:
		return `{"role":"system","content":` + k.content() + `}`
	case 1:
		return fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"%s"},{"type":"tool_result","tool_use_id":"a","is_error":%t,"content":%s},{"type":"text","text":"%s"}]}`,
			k.text(), k.IntN(2) == 0, k.content(), k.text())
	case 2:
		return fmt.Sprintf(`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"%d"},{"type":"tool_use","id":"a%d","name":"f","input":{"x":"%s"}}]}`, k.IntN(2), i, k.text())
	case 3:
		return `{"role":"assistant","content":` + k.content() + `}`
	}
	return `{"role":"user","content":` + k.content() + `}`
}

// responses makes an item of a responses request.
func (k *talker) responses(i int) string {
	content := func() string {
		if k.IntN(2) == 0 {
			return k.parts("input_text")
		}
		return `"` + k.text() + `"`
	}
	switch k.IntN(7) {
	case 0:
		return `{"role":"developer","content":` + content() + `}`
	case 1:
		return fmt.Sprintf(`{"type":"function_call_output","call_id":"a.%d","output":%s}`, k.IntN(3), content())
	case 2:
		return fmt.Sprintf(`{"type":"function_call","id":"fc_1","call_id":"a.%d","name":"f","arguments":"%s"}`, i, k.text())
	case 3:
		return `{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"` + k.text() + `"},{"type":"output_text","text":"` + k.text() + `"}]}`
	case 4:
		return `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"` + []string{"gAAA", "sluice-signature:s", "sluice-sealed:d"}[k.IntN(3)] + `"}`
	}
	return `{"role":"user","content":` + content() + `}`
}

// TestAnyOrderOfTurnsBecomesALawfulRequestThatLosesNoWord, or is refused.
func TestAnyOrderOfTurnsBecomesALawfulRequestThatLosesNoWord(t *testing.T) {
	for from, codec := range codecs {
		for to := range codecs {
			refused := 0
			for i := range 2_000 {
				k := &talker{Rand: source(i)}
				turn, member := k.chat, "messages"
				switch from {
				case "messages":
					turn = k.messages
				case "responses":
					turn, member = k.responses, "input"
				}
				var turns []string
				for i := range 1 + k.IntN(7) {
					turns = append(turns, turn(i))
				}
				body := `{"model":"m","max_tokens":5,"` + member + `":[` + strings.Join(turns, ",") + `]}`
				out, err := between(codec, codecs[to], body)
				var e *conversation.Error
				if errors.As(err, &e) {
					refused++
					continue
				}
				if err != nil {
					t.Fatalf("%s to %s: %v in %s", from, to, err, body)
				}
				if err := lawful(to, out); err != nil {
					t.Fatalf("%s to %s: %v in\n%s\nfrom\n%s", from, to, err, out, body)
				}
				lost := slices.ContainsFunc(k.words, func(w string) bool { return strings.Count(string(out), w) != 1 })
				if lost {
					t.Fatalf("%s to %s: not every word once in\n%s\nfrom\n%s", from, to, out, body)
				}
			}
			if refused > 1_900 {
				t.Errorf("%s to %s: %d of 2000 are refused: the test says little", from, to, refused)
			}
		}
	}
}

func between(from, to conversation.Codec, body string) ([]byte, error) {
	r, _, err := from.DecodeRequest([]byte(body))
	if err != nil {
		return nil, err
	}
	out, _, err := to.EncodeRequest(r, "claude-sonnet-4-5")
	return out, err
}
