package dispatch_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// wordy answers with that many tokens.
func wordy(tokens int) http.HandlerFunc {
	return status(200, fmt.Sprintf(`{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":%d}}`, tokens))
}

func priced(prices ...string) options {
	o := options{strategy: "least_cost", routing: `,"retries":0`}
	for _, p := range prices {
		o.targets = append(o.targets, "")
		if p == "" {
			o.models = append(o.models, "")
			continue
		}
		in, out, _ := strings.Cut(p, "/")
		o.models = append(o.models, fmt.Sprintf(`,"cost":{"input_per_1m":%s,"output_per_1m":%s}`, in, out))
	}
	return o
}

func TestTheCheapestIsTriedFirstAndWhatHasNoPriceLast(t *testing.T) {
	for _, c := range []struct {
		prices []string
		want   string
	}{
		{[]string{"3/15", "", "0.1/0.4", "0/0"}, "dcab"},
		{[]string{"", "1/1"}, "ba"},
		{[]string{"1/1", "1/1", "1/1"}, "abc"},
	} {
		bubble(t, func(t *testing.T, n *network) {
			if tried, _ := n.ranks(t, priced(c.prices...)); tried != c.want {
				t.Errorf("prices %q: tried %q, want %q", c.prices, tried, c.want)
			}
		})
	}
}

// TestThePriceIsThatOfTheRequest: a is cheap to read and dear to write, b the reverse.
func TestThePriceIsThatOfTheRequest(t *testing.T) {
	long, image := strings.Repeat("long prompt ", 1000), `[{"type":"image_url","image_url":{"url":"data:,`+strings.Repeat("A", 30_000)+`"}}]`
	for _, c := range []struct{ name, content, rest, want string }{
		{"long prompt, short answer", `"` + long + `"`, `,"max_tokens":10`, "ab"},
		{"short prompt, long answer", `"hi"`, `,"max_tokens":4000`, "ba"},
		{"the lower bound counts", `"` + long + `"`, `,"max_tokens":40000,"max_completion_tokens":1`, "ab"},
		{"an image is no text", image, `,"max_tokens":1000`, "ba"},
		{"no bound: a third of the prompt", `"` + long + `"`, ``, "ab"},
	} {
		bubble(t, func(t *testing.T, n *network) {
			body := `{"model":"r","messages":[{"role":"user","content":` + c.content + `}]` + c.rest + `}`
			if tried, _ := n.ranksOf(t, priced("1/8", "4/4"), body); tried != c.want {
				t.Errorf("%s: tried %q, want %q", c.name, tried, c.want)
			}
		})
	}
}

// TestLongAnswersMakeATargetDear: a is cheaper by its list, but writes ten times as much.
func TestLongAnswersMakeATargetDear(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		h := n.gateway(t, priced("1/1", "2/2"), n.upstream("a", wordy(5000)), n.upstream("b", wordy(500)))
		if got := h.post(question).served(t); got != "a" {
			t.Fatalf("nothing being known, the answer is of %s, want the cheaper by its list", got)
		}
		h.post(strings.Replace(question, `"r"`, `"b"`, 1)).served(t)
		if got := h.post(question).served(t); got != "b" {
			t.Errorf("the answer is of %s, although it costs about five times as much", got)
		}
		if got := h.post(strings.Replace(question, `{`, `{"max_tokens":100,`, 1)).served(t); got != "a" {
			t.Errorf("with a bound that both reach, the answer is of %s, want the cheaper", got)
		}
	})
}

// counting answers with ten tokens, and has counted so many in the question.
func counting(tokens int) http.HandlerFunc {
	return status(200, fmt.Sprintf(`{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":10}}`, tokens))
}

// TestAQuestionIsAsManyTokensAsTheTargetCounts: a is cheaper by its list, but makes three times as many tokens of a text.
func TestAQuestionIsAsManyTokensAsTheTargetCounts(t *testing.T) {
	asked := strings.Replace(question, `"hi"`, `"`+strings.Repeat("words ", 500)+`"`, 1)
	image := strings.Replace(question, `"hi"`, `[{"type":"image_url","image_url":{"url":"data:,"}}]`, 1)
	for _, c := range []struct {
		name, taught string // the question that each has answered before
		a            int    // tokens that a has counted in it
		want         string
	}{
		{"nothing counted", asked, 0, "a"},
		{"three times as many", asked, 2400, "b"},
		{"as many", asked, 800, "a"},
		{"an image tells nothing", image, 2400, "a"},
		{"more than a token a byte", strings.Replace(asked, "words words ", "words ", 1), 1 << 30, "b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, n *network) {
				h := n.gateway(t, priced("1/0", "2/0"), n.upstream("a", counting(c.a)), n.upstream("b", counting(800)))
				for _, id := range []string{"a", "b"} {
					h.post(strings.Replace(c.taught, `"r"`, `"`+id+`"`, 1)).served(t)
				}
				if got := h.post(asked).served(t); got != c.want {
					t.Errorf("served by %s, want %s", got, c.want)
				}
			})
		})
	}
}
