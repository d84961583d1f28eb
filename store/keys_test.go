package store

import (
	"testing"

	"github.com/sluice-gateway/sluice/core"
)

func TestEveryKeyOfTheDocumentIsInItsSpan(t *testing.T) {
	k := keys{"/p"}
	in := func(s span, key string) bool { return s.start <= key && key < s.end }
	for _, kind := range core.Kinds() {
		for _, id := range []string{"0", "zz", "Z.z_z-"} {
			if key := k.resource(core.Ref{Kind: kind, ID: id}); !in(k.document(), key) {
				t.Errorf("%s is outside %v", key, k.document())
			}
		}
	}
	if !in(k.document(), k.generation()) {
		t.Errorf("%s is outside %v", k.generation(), k.document())
	}
	for _, key := range []string{k.node("a"), k.signals("c", "a"), "/p/history/1", "/p", "/pp/resources/model/a", "/o/resources/model/a"} {
		if in(k.document(), key) {
			t.Errorf("%s is inside %v: its writes would wake every watch", key, k.document())
		}
	}
	for _, key := range []string{"/p/fleet/signals/cc/a", "/p/fleet/signals/c", "/p/fleet/nodes/a"} {
		if in(k.cell("c"), key) {
			t.Errorf("%s is inside %v", key, k.cell("c"))
		}
	}
}

func FuzzAKeyIsAResourceOnlyWhenItIsWrittenLikeOne(f *testing.F) {
	for _, seed := range []string{"/p/resources/model/a", "/p/resources/model/a/b", "/p/resources/plugin/a", "/p/resources/", "", "/p/resources/api_key/-", "/p/resources//model"} {
		f.Add([]byte(seed))
	}
	k := keys{"/p"}
	f.Fuzz(func(t *testing.T, key []byte) {
		if ref, ok := k.ref(key); ok && k.resource(ref) != string(key) {
			t.Errorf("key %q was taken for %s, which is stored at %q", key, ref, k.resource(ref))
		}
	})
}
