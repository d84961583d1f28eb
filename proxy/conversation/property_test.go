package conversation_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/conversationtest"
)

func source(i int) *rand.Rand { return rand.New(rand.NewPCG(1, uint64(i))) }

// said returns the calls as a client reads them: no arguments are the empty object.
func said(calls []conversation.Call) []conversation.Call {
	out := append([]conversation.Call(nil), calls...)
	for i := range out {
		if out[i].Arguments == "" {
			out[i].Arguments = "{}"
		}
	}
	return out
}

// makers make the streams of each dialect.
var makers = map[string]func(*rand.Rand) ([]conversationtest.Frame, conversationtest.Story){
	"chat": conversationtest.ChatStream, "messages": conversationtest.MessagesStream,
	"responses": conversationtest.ResponsesStream,
}

// judge tells what a stream of a dialect says.
func judge(dialect, stream string, withUsage bool) (conversationtest.Story, error) {
	switch dialect {
	case "chat":
		return conversationtest.Chat(stream, withUsage)
	case "messages":
		return conversationtest.Messages(stream)
	}
	return conversationtest.Responses(stream)
}

// expected is what of a story the other dialect can say.
func expected(from, to string, withUsage bool, want conversationtest.Story) conversationtest.Story {
	want.Calls = said(want.Calls)
	switch to {
	case "responses":
		switch {
		case want.Stop == conversation.StopLength || want.Stop == conversation.StopFilter:
		case len(want.Calls) > 0:
			want.Stop = conversation.StopTools
		default:
			want.Stop = conversation.StopEnd
		}
		if !withUsage {
			want.Thought, want.Proofs = "", "" // which the caller has not asked for either
		}
	case "chat":
		want.Proofs = "" // which have no place there
		if want.Stop == conversation.StopSequence || want.Stop == conversation.StopPause {
			want.Stop = conversation.StopEnd
		}
		want.Usage.CacheWrites = 0
		if !withUsage {
			want.Usage = conversation.Usage{}
		} else {
			want.Usage.Known = true
		}
	default:
		want.Usage.Known = true
		if from != to {
			want.Thought = "" // it is not signed
		}
	}
	return want
}

func TestAnyLegalStreamBecomesALegalOneThatSaysTheSame(t *testing.T) {
	for from, maker := range makers {
		for to := range codecs {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				n := sequences
				if from == to {
					n /= 10
				}
				for i := range n {
					frames, want := maker(source(i))
					withUsage := i%2 == 0
					out, over := relay(t, codecs[from], codecs[to], &conversation.Request{StreamUsage: withUsage, Reasoning: conversation.Reasoning{Show: withUsage}}, frames)
					got, err := judge(to, out, withUsage)
					if err != nil || !over {
						t.Fatalf("sequence %d: over %t, %v\nfrom %v\nto\n%s", i, over, err, frames, out)
					}
					refused := to == "messages" && from != "messages" && want.Stop == conversation.StopEnd && got.Stop == conversation.StopFilter
					if refused && strings.Contains(asText(frames), `"refusal":`) {
						got.Stop = conversation.StopEnd // a refusal in words is that vendor's reason to stop
					}
					got.Calls = said(got.Calls)
					if want := expected(from, to, withUsage, want); !reflect.DeepEqual(want, got) {
						t.Fatalf("sequence %d (-want +got):\n%s\nfrom %v\nto\n%s", i, cmp.Diff(want, got), frames, out)
					}
				}
			})
		}
	}
}

func asText(frames []conversationtest.Frame) string {
	var b strings.Builder
	for _, f := range frames {
		b.WriteString(f.Data)
	}
	return b.String()
}

// ends are the words with which the dialects end a stream.
var ends = []string{"[DONE]", `"finish_reason":"`, "message_stop", "message_delta", "response.completed", "response.incomplete"}

// stops reports whether an event says that the model has stopped.
func stops(f conversationtest.Frame) bool {
	return strings.Contains(f.Data, `_reason":"`) || f.Name == "response.completed" || f.Name == "response.incomplete"
}

func TestAStreamThatBreaksGetsNoEnd(t *testing.T) {
	for from, maker := range makers {
		for to := range codecs {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				for i := range 500 {
					r := source(i)
					frames, _ := maker(r)
					stop := 0
					for stop < len(frames) && !stops(frames[stop]) {
						stop++
					}
					out, over := relay(t, codecs[from], codecs[to], &conversation.Request{StreamUsage: true}, frames[:r.IntN(stop+1)])
					for _, end := range ends {
						if over || strings.Contains(out, end) {
							t.Fatalf("sequence %d: over %t, and %s in\n%s", i, over, end, out)
						}
					}
				}
			})
		}
	}
}
