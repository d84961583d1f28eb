package responses

import (
	"testing"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

func TestOnlyWhatWasSealedHereIsUnsealed(t *testing.T) {
	for _, want := range []conversation.Part{{Signature: "s"}, {Sealed: "d"}, {}} {
		var got conversation.Part
		if ok := unseal(&got, seal(&want)); ok != (seal(&want) != "") || got.Signature != want.Signature || got.Sealed != want.Sealed {
			t.Errorf("got %+v, %t of %q", got, ok, seal(&want))
		}
	}
	var got conversation.Part
	if unseal(&got, "gAAAAABpF") || got.Signature+got.Sealed != "" {
		t.Errorf("what another vendor encrypted becomes %+v", got)
	}
}
