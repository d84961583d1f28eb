package messages

import "testing"

func TestTheVersionIsReadFromTheNameOfAModel(t *testing.T) {
	for name, want := range map[string]version{
		"claude-opus-4-7": 407, "claude-sonnet-4-5-20250929": 405, "claude-opus-4-20250514": 400, "claude-sonnet-4@20250514": 400,
		"claude-3-7-sonnet-20250219": 307, "claude-3-haiku-20240307": 300, "anthropic.claude-3-5-sonnet-20241022-v2:0": 305,
		"us.anthropic.claude-opus-4-6-v1": 406, "anthropic/claude-opus-4.6": 406, "claude-fable-5-1": 501, "claude-2.1": 201,
		"claude-mythos-preview": newest, "claude": newest, "kimi-k2": 0, "": 0,
	} {
		if got := versionOf(name); got != want {
			t.Errorf("%q: got %d, want %d", name, got, want)
		}
	}
}

func TestIdsThatAreNotTakenKeepTellingCallsApart(t *testing.T) {
	seen := map[string]string{}
	for _, id := range []string{"call_1", "functions.get:0", "functions.get:1", "a b", "a\nb", "é", ""} {
		got := plainID(id)
		if other, twice := seen[got]; twice {
			t.Errorf("%q and %q both become %q", id, other, got)
		}
		if seen[got] = id; got != plainID(got) {
			t.Errorf("%q becomes %q, which becomes %q", id, got, plainID(got))
		}
	}
	if got := plainID("call_1-A"); got != "call_1-A" {
		t.Errorf("got %q for an id that is taken as it is", got)
	}
}
