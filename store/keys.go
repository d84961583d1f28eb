package store

import (
	"encoding/hex"
	"strings"

	"github.com/sluice-gateway/sluice/core"
)

// keys is the layout below one prefix, which has no slash at its end.
type keys struct{ prefix string }

// layoutVersion is the value of meta/generation. What counts is that key's mod revision.
const layoutVersion = "1"

func (k keys) generation() string { return k.prefix + "/meta/generation" }

func (k keys) resource(ref core.Ref) string { return k.prefix + "/resources/" + ref.String() }

func (k keys) node(id string) string { return k.prefix + "/fleet/nodes/" + id }

// token is the key of a node's token, apart from what the node says of itself: nobody lists these.
func (k keys) token(node string) string { return k.prefix + "/fleet/tokens/" + node }

func (k keys) signals(cell, node string) string {
	return k.prefix + "/fleet/signals/" + cell + "/" + node
}

func (k keys) cellRoot(cell, leaf string) string {
	return k.prefix + "/fleet/roots/" + cell + "/" + leaf
}

func (k keys) aggregator(cell string) string { return k.cellRoot(cell, "aggregator") }

func (k keys) live(cell string) string { return k.cellRoot(cell, "live") }

func (k keys) root(cell string) string { return k.cellRoot(cell, "root") }

// span is a half-open range of keys.
type span struct{ start, end string }

// below returns the span of all keys that begin with folder, which ends with a slash; '0' follows '/'.
func below(folder string) span { return span{folder, strings.TrimSuffix(folder, "/") + "0"} }

// document spans meta/generation and all resources, so that one read and one watch see both; only other
// keys of meta/ and what sorts between meta/ and resources/ is there besides.
func (k keys) document() span { return span{k.prefix + "/meta/", k.prefix + "/resources0"} }

func (k keys) nodes() span { return below(k.node("")) }

func (k keys) cell(cell string) span { return below(k.signals(cell, "")) }

func (k keys) vectors() span { return below(k.prefix + "/vectors/") }

func (k keys) vector(key VectorKey) string { return k.vectors().start + hex.EncodeToString(key[:]) }

func (k keys) roots(cell string) span { return below(k.cellRoot(cell, "")) }

// ref returns the resource that key names; false when it is not the key of a resource of this version.
func (k keys) ref(key []byte) (core.Ref, bool) {
	path, ok := strings.CutPrefix(string(key), k.prefix+"/resources/")
	kind, id, _ := strings.Cut(path, "/")
	ref := core.Ref{Kind: core.Kind(kind), ID: id}
	return ref, ok && ref.Kind.Known() && core.CheckID(id) == nil
}

// vectorKey returns the vector that key of the span names; false when it names none.
func (s span) vectorKey(key []byte) (out VectorKey, ok bool) {
	name, ok := strings.CutPrefix(string(key), s.start)
	if !ok || len(name) != hex.EncodedLen(len(out)) {
		return out, false
	}
	_, err := hex.Decode(out[:], []byte(name))
	return out, err == nil
}

// name returns the last part of a key of the span; false when the key is not of that folder itself.
func (s span) name(key []byte) (string, bool) {
	name, ok := strings.CutPrefix(string(key), s.start)
	return name, ok && core.CheckID(name) == nil
}
