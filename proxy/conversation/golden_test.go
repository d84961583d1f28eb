package conversation_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/conversationtest"
)

// update writes what the codecs say into the tables, for a look at the difference.
var update = flag.Bool("update", false, "rewrite the tables in testdata")

// row is a case of a table: a line "== name", then lines of a key and a value. A key may come again.
type row struct {
	name string
	in   []string          // of "in", and for streams "event", in order
	args map[string]string // of "model" and "as", which are given
	want []string          // all other lines, which are checked
}

// given are the keys of what a case is given.
var given = map[string]bool{"in": true, "model": true, "as": true, "note": true}

func table(t testing.TB, path string) []row {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, line := range strings.Split(string(text), "\n") {
		if name, ok := strings.CutPrefix(line, "== "); ok {
			rows = append(rows, row{name: name, args: map[string]string{}})
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		last := &rows[len(rows)-1]
		key, value, _ := strings.Cut(line, " ")
		switch {
		case key == "in":
			last.in = append(last.in, value)
		case given[key]:
			last.args[key] = value
		default:
			last.want = append(last.want, line)
		}
	}
	return rows
}

// golden checks what each case of the tables of a kind comes to. A table is called from-to-to.kind.
func golden(t *testing.T, kind string, say func(t *testing.T, from, to string, r *row) []string) {
	paths, err := filepath.Glob(filepath.Join("testdata", "*."+kind))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	for _, path := range paths {
		from, to, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), "."+kind), "-to-")
		rows := table(t, path)
		var text strings.Builder
		for i := range rows {
			r := &rows[i]
			var got []string
			t.Run(from+" to "+to+"/"+r.name, func(t *testing.T) {
				got = say(t, from, to, r)
				if diff := cmp.Diff(r.want, got); diff != "" && !*update {
					t.Errorf("(-want +got):\n%s\nin %s", diff, strings.Join(r.in, "\n"))
				}
			})
			text.WriteString("== " + r.name + "\n")
			for _, key := range []string{"note", "model", "as"} {
				if v := r.args[key]; v != "" {
					text.WriteString(key + " " + v + "\n")
				}
			}
			text.WriteString("in " + strings.Join(r.in, "\nin ") + "\n" + strings.Join(got, "\n") + "\n\n")
		}
		if *update {
			if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func refusal(t *testing.T, err error) []string {
	t.Helper()
	var e *conversation.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a *conversation.Error", err)
	}
	return []string{"param " + e.Param, "error " + e.Message}
}

func TestRequestsAreTranslatedAsTheTablesSay(t *testing.T) {
	golden(t, "requests", func(t *testing.T, from, to string, r *row) []string {
		req, dropped, err := codecs[from].DecodeRequest([]byte(r.in[0]))
		if err != nil {
			return refusal(t, err)
		}
		body, more, err := codecs[to].EncodeRequest(req, r.args["model"])
		if err != nil {
			return refusal(t, err)
		}
		if err := lawful(to, body); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		lines := []string{"out " + string(body)}
		for _, d := range append(dropped, more...) {
			lines = append(lines, "dropped "+d)
		}
		return lines
	})
}

// asked decodes the request that a case names with "as".
func asked(t *testing.T, to conversation.Codec, r *row) *conversation.Request {
	t.Helper()
	body := r.args["as"]
	if body == "" {
		return &conversation.Request{}
	}
	req, _, err := to.DecodeRequest([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func TestAnswersAreTranslatedAsTheTablesSay(t *testing.T) {
	golden(t, "answers", func(t *testing.T, from, to string, r *row) []string {
		a, err := codecs[from].DecodeAnswer([]byte(r.in[0]))
		if err != nil {
			return []string{"error " + err.Error()}
		}
		out := codecs[to].EncodeAnswer(asked(t, codecs[to], r), a)
		if !json.Valid(out) {
			t.Fatalf("not JSON: %s", out)
		}
		lines := []string{"out " + string(out)}
		if a.Stop.Unknown != "" {
			lines = append(lines, "unknown "+a.Stop.Unknown)
		}
		return lines
	})
}

func TestStreamsAreTranslatedAsTheTablesSay(t *testing.T) {
	golden(t, "streams", func(t *testing.T, from, to string, r *row) []string {
		var frames []conversationtest.Frame
		for _, line := range r.in {
			name, data := "", line
			if !strings.HasPrefix(line, "{") && !strings.HasPrefix(line, "[") {
				name, data, _ = strings.Cut(line, " ")
			}
			frames = append(frames, conversationtest.Frame{Name: name, Data: data})
		}
		out, over, err := translate(codecs[from], codecs[to], asked(t, codecs[to], r), frames)
		var lines []string
		written, ok := conversationtest.Frames(out)
		if !ok {
			t.Fatalf("not events: %q", out)
		}
		for _, f := range written {
			lines = append(lines, strings.TrimSpace("event "+f.Name+" "+f.Data))
		}
		switch {
		case err != nil:
			lines = append(lines, "error "+err.Error())
		case !over:
			lines = append(lines, "cut")
		}
		return lines
	})
}
