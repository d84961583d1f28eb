package schemas

import (
	"fmt"
	"strings"
	"testing"
)

// costly are texts that look for the slowest path.
func costly() map[string]string {
	const limit = 1 << 17
	fill := func(head, item, tail string) string {
		return head + strings.Repeat(item+",", (limit-len(head)-len(tail)-len(item))/(len(item)+1)) + item + tail
	}
	var unknown, labels strings.Builder
	for i := range 999 {
		fmt.Fprintf(&unknown, `"f%d":0,`, i)
		fmt.Fprintf(&labels, `"!%d":{"a":[%d]},`, i, i)
	}
	object := "{" + strings.TrimSuffix(unknown.String(), ",") + "}"
	var collide strings.Builder
	letters := strings.Repeat("a", 40)
	for i := range 999 {
		fmt.Fprintf(&collide, `["%s","%s","%s"],`, letters[:i%31], letters[i%31:i%31+(i/31)%9], letters[i%31+(i/31)%9:])
	}
	return map[string]string{
		"a long fraction":        `{"weight":0.` + strings.Repeat("1", limit) + `}`,
		"a huge exponent":        `{"weight":1e999999999}`,
		"an endless array":       fill(`{"targets":[`, `0`, `]}`),
		"many unknown fields":    fill(`{"targets":[`, object, `]}`),
		"many bad labels":        `{"labels":{` + strings.TrimSuffix(labels.String(), ",") + `}}`,
		"deep nesting":           strings.Repeat("[", limit),
		"one long string":        `{"description":"` + strings.Repeat("x", limit) + `"}`,
		"a long base url":        `{"base_url":"http://` + strings.Repeat("x", limit) + `"}`,
		"a long duration":        `{"deadline":"` + strings.Repeat("1h", limit/2) + `"}`,
		"a long name":            `{"` + strings.Repeat("x", limit) + `":0}`,
		"items of equal hash":    `{"allowed_models":[` + strings.TrimSuffix(collide.String(), ",") + `]}`,
		"arrays in every target": fill(`{"targets":[`, `{"model":[1,2,3,4,5,6,7,8,9],"weight":{"a":1},"priority":[[[]]]}`, `]}`),
		"a thousand statuses":    fill(`{"fallback_on_statuses":[`, `1e2`, `]}`)[:4000] + `]}`,
	}
}

func BenchmarkCostlyTexts(b *testing.B) {
	s := set(b)
	for name, text := range costly() {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			raw := []byte(text)
			b.ReportAllocs()
			for b.Loop() {
				s.Validate("routing", raw)
				s.Validate("provider", raw)
			}
		})
	}
}

func TestTheCostOfValidationIsBounded(t *testing.T) {
	s := set(t)
	const most = 400_000 // allocations; a text that costs time costs these
	for name, text := range costly() {
		raw := []byte(text)
		for _, kind := range []string{"provider", "routing", "api_key"} {
			if got := testing.AllocsPerRun(1, func() { s.Validate(kind, raw) }); got > most {
				t.Errorf("%s of %d bytes as %s: %.0f allocations, want at most %d", name, len(raw), kind, got, most)
			}
		}
	}
}
