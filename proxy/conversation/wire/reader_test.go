package wire

import (
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/google/go-cmp/cmp"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// read consumes a value of one kind after the other under "a", "b" and so on.
func read(r *Reader) {
	for name := range r.Members {
		switch string(name) {
		case "text":
			_ = r.String()
		case "bool":
			r.Bool()
		case "float":
			r.Float()
		case "int":
			r.Int()
		case "positive":
			r.Positive()
		case "object":
			r.Object()
		case "list":
			for range r.Elements {
				read(r)
			}
		default:
			r.Drop()
		}
	}
}

func TestAFaultNamesTheMemberAndTheRule(t *testing.T) {
	for in, want := range map[string]conversation.Error{
		`{"text":1}`:                     {Param: "text", Message: "text must be a string."},
		`{"bool":"true"}`:                {Param: "bool", Message: "bool must be true or false."},
		`{"float":true}`:                 {Param: "float", Message: "float must be a number."},
		`{"float":1e999}`:                {Param: "float", Message: "float must be a number of ordinary size."},
		`{"int":1.5}`:                    {Param: "int", Message: "int must be a whole number."},
		`{"int":9223372036854775808}`:    {Param: "int", Message: "int must be a whole number."},
		`{"positive":0}`:                 {Param: "positive", Message: "positive must be at least 1."},
		`{"object":[]}`:                  {Param: "object", Message: "object must be an object."},
		`{"list":{}}`:                    {Param: "list", Message: "list must be an array."},
		`{"list":[{},{"list":[{},7]}]}`:  {Param: "list[1].list[1]", Message: "list[1].list[1] must be an object."},
		`{"list":[{"x":1},{"text":[]}]}`: {Param: "list[1].text", Message: "list[1].text must be a string."},
		`{"text":1,"text":tru}`:          {Param: "text", Message: "text must be a string."}, // the first fault counts
		`[]`:                             {Message: "The body must be an object."},
		``:                               {Message: "The body is not valid JSON."},
		`{"text":"a"`:                    {Message: "The body is not valid JSON."},
		`{"list":[{}`:                    {Message: "The body is not valid JSON."},
		`{"x":[1,}`:                      {Message: "The body is not valid JSON."},
		`{} x`:                           {Message: "The body is not valid JSON."},
		"{\"text\":\"\xff\"}":            {Message: "The body is not UTF-8."},
	} {
		var r Reader
		r.Open([]byte(in))
		read(&r)
		if got := r.End(); got == nil || *got != want {
			t.Errorf("%s: got %+v, want %+v", in, got, want)
		}
		r.Close()
	}
}

func TestANullIsAsGoodAsNoMember(t *testing.T) {
	var r Reader
	r.Open([]byte(`{"text":null,"x":null,"list":[{"int":null}]}`))
	defer r.Close()
	read(&r)
	if err := r.End(); err != nil || len(r.Dropped()) > 0 {
		t.Errorf("got %v, dropped %v", err, r.Dropped())
	}
}

func TestWhatIsDroppedIsListedUpToABound(t *testing.T) {
	var r Reader
	r.Open([]byte(`{"a/b~c":1,"list":[{"x":{"y":1}}],"e\u0073c":2}`))
	read(&r)
	if diff := cmp.Diff([]string{"/a~1b~0c", "/list/0/x", "/esc"}, r.Dropped()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r.Close()
	r.Open([]byte(`{"list":[` + strings.Repeat(`{"x":1},`, 100) + `{}]}`))
	defer r.Close()
	read(&r)
	r.LostAt("list[2].text")
	if got := len(r.Dropped()); got != conversation.MaxDropped || r.End() != nil {
		t.Errorf("got %d members and %v, want %d", got, r.End(), conversation.MaxDropped)
	}
}

func TestACountIsANumberOfTokensOrNothing(t *testing.T) {
	for in, want := range map[string]int64{"5": 5, "5.0": 5, "-1": 0, `"5"`: 0, "{}": 0, "1e30": 0, "9007199254740992": 1 << 53} {
		var r Reader
		r.Open([]byte(in))
		if got := r.Count(); got != want || r.End() != nil {
			t.Errorf("%s: got %d and %v, want %d", in, got, r.End(), want)
		}
		r.Close()
	}
}

// TestAReaderBetweenTextsHoldsNoneOfThem: that of an idle stream must not keep the buffer of an event that was large.
func TestAReaderBetweenTextsHoldsNoneOfThem(t *testing.T) {
	for _, in := range []string{`{"list":[{"text":"a"}],"x":1}`, `{"list":[{"text":1}]}`, `{"list":[`} {
		text := []byte(in + strings.Repeat(" ", 64)) // which has a place of its own
		bytesOf := weak.Make(&text[0])
		var r Reader
		r.Open(text)
		read(&r)
		_ = r.End()
		r.Close()
		text = nil
		runtime.GC()
		if bytesOf.Value() != nil {
			t.Errorf("%s is held", in)
		}
		runtime.KeepAlive(&r)
	}
}
