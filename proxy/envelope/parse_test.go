package envelope

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

func rewrite(t *testing.T, e *Envelope, model string, o Options) string {
	t.Helper()
	b := e.Body(model, o)
	out, err := io.ReadAll(b.Reader())
	if err != nil {
		t.Fatalf("read the body: %v", err)
	}
	if int64(len(out)) != b.Len() {
		t.Errorf("the body %q has %d bytes, but Len says %d", out, len(out), b.Len())
	}
	return string(out)
}

func TestWhatRoutingNeedsIsReadFromTheBody(t *testing.T) {
	for _, c := range []struct {
		in     string
		model  string
		stream bool
		usage  bool
	}{
		{`{"model":"m"}`, "m", false, false},
		{" \n{ \"model\" :\t\"m\" }\r\n ", "m", false, false},
		{`{"messages":[{"model":"x","stream":true}],"model":"m","stream":false}`, "m", false, false},
		{`{"stream":true,"model":"m"}`, "m", true, false},
		{`{"stream":null,"model":"m"}`, "m", false, false},
		{`{"mod\u0065l":"m","str\u0065am":true}`, "m", true, false},
		{`{"model":"a\"b\\c\/\u00e9é\ud83d\ude00"}`, `a"b\c/éé😀`, false, false},
		{`{"model":"a\ud800b"}`, "a\ufffdb", false, false},
		{`{"model":"m","stream":true,"stream_options":{"include_usage":true}}`, "m", true, true},
		{`{"model":"m","stream":true,"stream_options":{"include_usage":false}}`, "m", true, false},
		{`{"model":"m","stream":true,"stream_options":{"include_usage":null,"x":[{}]}}`, "m", true, false},
		{`{"model":"m","stream":true,"stream_options":{"includ\u0065_usage":true}}`, "m", true, true},
		{`{"model":"m","stream_options":{"x":{"include_usage":true},"model":1}}`, "m", false, false},
		{`{"model":"m","stream_options":null}`, "m", false, false},
		{`{"model":"m","stream_options":"include_usage"}`, "m", false, false},
		{`{"model":"m","include_usage":true}`, "m", false, false},
		{`{"model":"m","x":1,"x":2,"models":["M"],"STREAMS":1,"stream-options":{},"modèl":1,"x":{"Model":"M","STREAM":1,"ſtream":1}}`, "m", false, false},
		{`{"model":"m","seed":9007199254740993,"x":1e400,"y":-0,"z":1.0,"s":"\ud800"}`, "m", false, false},
		{`{"model":"m","api_base":"http://127.0.0.1:9","base_url":"http://x","api_key":"k"}`, "m", false, false},
	} {
		e, err := Parse([]byte(c.in), Chat)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if e.Model != c.model || e.Stream != c.stream || e.IncludeUsage != c.usage {
			t.Errorf("%s: got model %q, stream %t, usage %t; want %q, %t, %t", c.in, e.Model, e.Stream, e.IncludeUsage, c.model, c.stream, c.usage)
		}
	}
}

func TestABodyThatCouldBeReadInTwoWaysIsRefused(t *testing.T) {
	for _, c := range []struct{ in, param string }{
		{``, ""}, {" \r\n\t", ""}, {`null`, ""}, {`[]`, ""}, {`"model"`, ""}, {`1`, ""}, {`true`, ""}, {`[{"model":"m"}]`, ""},
		{`{`, ""}, {`{"model"`, ""}, {`{"model":`, ""}, {`{"model":"m"`, ""}, {`{"model":"m",`, ""}, {`{"model":"m",}`, ""},
		{`{"model":"m"}}`, ""}, {`{"model":"m"} {}`, ""}, {`{"model":"m"}x`, ""}, {`{"model":"m"}` + "\x00", ""}, {`{"model":"m"},`, ""},
		{`{model:"m"}`, ""}, {`{'model':'m'}`, ""}, {`{"model":"m" "x":1}`, ""}, {`{"model" "m"}`, ""}, {`{,"model":"m"}`, ""},
		{`{"model":"m","x":01}`, ""}, {`{"model":"m","x":1.}`, ""}, {`{"model":"m","x":NaN}`, ""}, {`{"model":"m","x":+1}`, ""}, {`{"model":"m","x":tru}`, ""},
		{"{\"model\":\"m\",\"x\":\"a\nb\"}", ""}, {`{"model":"m","x":"\x7f"}`, ""}, {`{"model":"m","x":"\v"}`, ""}, {`{"model":"m","x":"\u12"}`, ""}, {`{"model":"m","x":[}]`, ""},
		{"{\"model\":\"m\",\"x\":\"\xff\"}", ""}, {"{\"model\":\"m\xed\xa0\x80\"}", ""}, {"\xef\xbb\xbf{\"model\":\"m\"}", ""}, {"\xff", ""},
		{`{"model":"m","x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, ""},
		{`{}`, "model"}, {`{"stream":true}`, "model"}, {`{"Model":"m"}`, "model"}, {`{"messages":[{"model":"m"}]}`, "model"},
		{`{"model":""}`, "model"}, {`{"model":null}`, "model"}, {`{"model":1}`, "model"}, {`{"model":["m"]}`, "model"}, {`{"model":{}}`, "model"},
		{`{"model":"allowed","messages":[],"model":"forbidden"}`, "model"},
		{`{"model":"allowed","mod\u0065l":"forbidden"}`, "model"},
		{`{"\u006d\u006F\u0064\u0065\u006c":"allowed","model":"forbidden"}`, "model"},
		{`{"model":"m","stream":1}`, "stream"}, {`{"model":"m","stream":"true"}`, "stream"}, {`{"model":"m","stream":{}}`, "stream"},
		{`{"model":"m","stream":true,"stream":false}`, "stream"}, {`{"stream":null,"model":"m","strea\u006d":true}`, "stream"},
		{`{"model":"m","stream_options":{},"stream_options":{}}`, "stream_options"}, {`{"model":"m","stream_options":null,"stream_options":{}}`, "stream_options"},
		{`{"model":"m","stream_options":{"include_usage":true,"include_usage":false}}`, "stream_options.include_usage"},
		{`{"model":"m","stream_options":{"include_usage":true}`, ""}, {`{"model":"m","stream_options":{"include_usage":tru}}`, ""}, {`{"model":"m","stream_options":{"x"}}`, ""},
	} {
		e, err := Parse([]byte(c.in), Chat)
		var refused *Error
		if !errors.As(err, &refused) {
			t.Errorf("%.80q: got %+v and error %v, want an *Error", c.in, e, err)
			continue
		}
		if refused.Param != c.param || refused.Message == "" {
			t.Errorf("%.80q: got param %q and message %q, want param %q and some message", c.in, refused.Param, refused.Message, c.param)
		}
	}
}

func TestAMemberThatDiffersInCaseOnlyIsRefused(t *testing.T) {
	for _, c := range []struct{ in, param string }{
		{`"MODEL":"n"`, "model"}, {`"Model":"m"`, "model"}, {`"mOdel":null`, "model"}, {`"\u004dodel":"n"`, "model"},
		{`"Stream":true`, "stream"}, {`"STREAM":null`, "stream"}, {`"\u017ftream":true`, "stream"}, {`"ſtream":true`, "stream"},
		{`"Stream_Options":{"include_usage":true}`, "stream_options"}, {`"stream_option\u017f":{}`, "stream_options"}, {`"STREAM_\u004fPTIONS":null`, "stream_options"},
		{`"stream_options":{"Include_Usage":true}`, "stream_options.include_usage"}, {`"stream_options":{"include_usage":true,"INCLUDE_USAGE":false}`, "stream_options.include_usage"},
		{`"stream_options":{"include_u\u017fage":true}`, "stream_options.include_usage"},
	} {
		for _, in := range []string{`{"model":"m",` + c.in + `}`, `{` + c.in + `,"model":"m"}`} {
			var refused *Error
			if _, err := Parse([]byte(in), Chat); !errors.As(err, &refused) || refused.Param != c.param || !strings.Contains(refused.Message, "upper and lower case") {
				t.Errorf("%s: got %v, want an *Error that blames the case of %q", in, err, c.param)
			}
		}
	}
}

// encoding/json is the measure: what it takes for one of the gateway's members must be one to the gateway or refused.
func FuzzNoUpstreamReadsAnotherModelThanTheGateway(f *testing.F) {
	for _, in := range []string{`{"model":"m","MODEL":"n"}`, `{"model":"m","ſtream":true}`, `{"stream_options":{"include_uſage":true},"model":"m"}`, `{"model":"m","mode\u006c\ud800":"n"}`} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := Parse(raw, Chat)
		if err != nil {
			return
		}
		var upstream struct {
			Model  *string
			Stream *bool
		}
		if json.Unmarshal(raw, &upstream) != nil {
			return
		}
		if upstream.Model == nil || *upstream.Model != e.Model || (upstream.Stream != nil && *upstream.Stream) != e.Stream {
			t.Errorf("%q: an upstream reads %+v, the gateway model %q and stream %t", raw, upstream, e.Model, e.Stream)
		}
	})
}

func TestARefusalRepeatsNothingOfTheBody(t *testing.T) {
	const prompt = "my secret prompt"
	for _, in := range []string{
		prompt, `"` + prompt + `"`, `{"` + prompt + `}`, `{"model":"m","messages":"` + prompt + `}`, `{"model":"m"} ` + prompt, `{"model":["` + prompt + `"]}`, `{"model":"m","stream":"` + prompt + `"}`, `{"MODEL":"` + prompt + `"}`,
	} {
		if _, err := Parse([]byte(in), Chat); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got error %v, want one that does not repeat the body", in, err)
		}
	}
}
