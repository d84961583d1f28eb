package wire

import "testing"

func TestCommasStandWhereTheyBelong(t *testing.T) {
	w := Writer{Buf: []byte("data: ")}
	w.Object()
	w.Name("a").String("x\n\"\u2028\xff")
	w.Name("b").Array()
	w.Int(-1)
	w.Float(0.25)
	w.Bool(true)
	w.Raw("null")
	w.Object()
	w.EndObject()
	w.Array()
	w.EndArray()
	w.String("")
	w.EndArray()
	w.Name("c").Object()
	w.EndObject()
	w.Name("d").Float(1e300)
	w.EndObject()
	want := "data: {\"a\":\"x\\n\\\"\u2028\ufffd\",\"b\":[-1,0.25,true,null,{},[],\"\"],\"c\":{},\"d\":1e+300}"
	if got := string(w.Buf); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
