package openai

import (
	"bytes"

	"github.com/sluice-gateway/sluice/proxy/provider"
)

var doneMark = []byte("[DONE]")

// Inspect tells what the event of that name and data brings. It allocates only for errors, for data
// that is malformed, and for names and words that are written with escapes.
func Inspect(name, data []byte) provider.Event {
	data = bytes.TrimSpace(data)
	if bytes.Equal(data, doneMark) {
		return provider.Event{Kind: provider.Done}
	}
	w := walk(data)
	switch {
	case w.failed || string(name) == "error" || failedList(data):
		err := provider.ErrorInside(data)
		w.Kind, w.Err = provider.Error, &err
	case !w.whole:
		return provider.Event{Kind: provider.Malformed}
	case w.content:
		w.Kind = provider.Content
	case w.HasUsage && !w.choices:
		w.Kind = provider.UsageOnly
	}
	return w.Event
}
