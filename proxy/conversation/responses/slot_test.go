package responses

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// feed decodes events until one is a fault, with room for 1 MiB that waits.
func feed(event func(i int) string, n int) (events int, err error) {
	d := &decoder{c: New(nil, nil), room: 1 << 20}
	for i := range n {
		if _, _, err := d.Decode(nil, nil, []byte(event(i))); err != nil {
			return i, err
		}
	}
	return n, nil
}

func TestWhatWaitsIsBounded(t *testing.T) {
	long := strings.Repeat("x", 1<<15)
	for name, event := range map[string]func(i int) string{
		"texts behind an item that does not end": func(i int) string {
			return fmt.Sprintf(`{"type":"response.output_text.delta","output_index":%d,"content_index":0,"delta":%q}`, min(i, 1), long)
		},
		"items of nothing": func(i int) string {
			return fmt.Sprintf(`{"type":"response.output_item.added","output_index":%d,"item":{"type":"message"}}`, i)
		},
		"parts of one item": func(i int) string {
			return fmt.Sprintf(`{"type":"response.output_text.delta","output_index":0,"content_index":%d,"delta":"x"}`, i)
		},
		"names that come late": func(i int) string {
			return fmt.Sprintf(`{"type":"response.function_call_arguments.done","output_index":%d,"name":%q}`, i+1, long)
		},
		"names": func(i int) string {
			return fmt.Sprintf(`{"type":"response.output_item.added","output_index":%d,"item":{"type":"function_call","name":%q}}`, i, long)
		},
	} {
		if n, err := feed(event, 2_000); !errors.Is(err, errWaiting) {
			t.Errorf("%s: %d events are taken, %v", name, n, err)
		}
	}
}

func TestATextThatIsToldAsItComesHasNoBound(t *testing.T) {
	long := strings.Repeat("x", 1<<15)
	n, err := feed(func(int) string {
		return fmt.Sprintf(`{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":%q}`, long)
	}, 100)
	if err != nil {
		t.Errorf("event %d: %v", n, err)
	}
}
