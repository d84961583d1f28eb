package conversation_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/conversationtest"
)

// asksAll asks to be told whatever an answer may hold.
var asksAll = conversation.Request{Reasoning: conversation.Reasoning{Show: true}}

// seeds adds what the tables of a kind hold.
func seeds(f *testing.F, kind string) {
	paths, err := filepath.Glob(filepath.Join("testdata", "*."+kind))
	if err != nil || len(paths) == 0 {
		f.Fatalf("no tables: %v", err)
	}
	for _, path := range paths {
		for _, r := range table(f, path) {
			f.Add(strings.Join(r.in, "\n"))
		}
	}
}

// FuzzRequests: what a dialect reads, each dialect writes or refuses, and reads what it has written.
func FuzzRequests(f *testing.F) {
	seeds(f, "requests")
	f.Fuzz(func(t *testing.T, body string) {
		for from, decoder := range codecs {
			r, dropped, err := decoder.DecodeRequest([]byte(body))
			if err != nil {
				refused(t, err)
				continue
			}
			if len(dropped) > conversation.MaxDropped {
				t.Fatalf("%d members are listed", len(dropped))
			}
			for to, encoder := range codecs {
				out, dropped, err := encoder.EncodeRequest(r, "claude-sonnet-4-5")
				if err != nil {
					refused(t, err)
					continue
				}
				if err := lawful(to, out); err != nil || len(dropped) > conversation.MaxDropped {
					t.Fatalf("%s to %s: %v, %d dropped, in %s", from, to, err, len(dropped), out)
				}
				if _, _, err := encoder.DecodeRequest(out); err != nil && len(r.Messages)+len(r.System) > 0 {
					t.Fatalf("%s to %s: %v in %s", from, to, err, out)
				}
			}
		}
	})
}

func refused(t *testing.T, err error) {
	t.Helper()
	var e *conversation.Error
	if !errors.As(err, &e) || e.Message == "" {
		t.Fatalf("got %v, want a *conversation.Error", err)
	}
}

// FuzzAnswers: what a dialect reads, each dialect writes so that it can read it.
func FuzzAnswers(f *testing.F) {
	seeds(f, "answers")
	f.Fuzz(func(t *testing.T, body string) {
		for _, decoder := range codecs {
			a, err := decoder.DecodeAnswer([]byte(body))
			if err != nil {
				continue
			}
			for to, encoder := range codecs {
				out := encoder.EncodeAnswer(&asksAll, a)
				if !json.Valid(out) {
					t.Fatalf("%s: not JSON: %s", to, out)
				}
				if _, err := encoder.DecodeAnswer(out); err != nil {
					t.Fatalf("%s: %v in %s", to, err, out)
				}
			}
		}
	})
}

// FuzzStreams: whatever comes, events go out; and a stream that comes to its end is one that its dialect allows, and reads to the end.
func FuzzStreams(f *testing.F) {
	seeds(f, "streams")
	f.Fuzz(func(t *testing.T, in string) {
		var frames []conversationtest.Frame
		for _, line := range strings.Split(in, "\n") {
			name, data := "", line
			if !strings.HasPrefix(line, "{") && !strings.HasPrefix(line, "[") {
				name, data, _ = strings.Cut(line, " ")
			}
			frames = append(frames, conversationtest.Frame{Name: name, Data: data})
		}
		for from, decoder := range codecs {
			for to, encoder := range codecs {
				out, over, _ := translate(decoder, encoder, &asksAll, frames)
				if _, err := judge(to, out, false); over && err != nil {
					t.Fatalf("%s to %s: %v in\n%s", from, to, err, out)
				}
				written, ok := conversationtest.Frames(out)
				if !ok {
					t.Fatalf("%s to %s: not events: %q", from, to, out)
				}
				if again, overAgain, err := translate(encoder, encoder, &asksAll, written); over && (!overAgain || err != nil) {
					t.Fatalf("%s to %s: over %t, %v in\n%s\nand\n%s", from, to, overAgain, err, out, again)
				}
			}
		}
	})
}
