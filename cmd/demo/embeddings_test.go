package demo_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"testing"

	"github.com/sluice-gateway/sluice/cmd/demo"
)

type embeddings struct {
	Object, Model string
	Data          []struct {
		Object    string
		Index     int
		Embedding []float32
	}
	Usage struct {
		PromptTokens int `json:"prompt_tokens"`
		TotalTokens  int `json:"total_tokens"`
	}
}

// embed returns the vectors of texts by a server of that name.
func embed(t *testing.T, name string, texts ...string) [][]float32 {
	t.Helper()
	input, _ := json.Marshal(texts)
	w := ask(t, demo.Config{Name: name}, http.MethodPost, "/v1/embeddings", `{"model":"demo-hashed-ngrams","input":`+string(input)+`}`)
	got := decode[embeddings](t, w.Body.String())
	if got.Object != "list" || got.Model != demo.EmbeddingModel || len(got.Data) != len(texts) {
		t.Fatalf("got %s", w.Body)
	}
	var out [][]float32
	for i, d := range got.Data {
		if d.Object != "embedding" || d.Index != i {
			t.Errorf("entry %d: %s at %d", i, d.Object, d.Index)
		}
		out = append(out, d.Embedding)
	}
	return out
}

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestVectorsHaveLength1AndDependOnTheTextAlone(t *testing.T) {
	texts := []string{"Write a function", "Übersetze das, bitte", "日本語のテキスト", "x"}
	first, second := embed(t, "a", texts...), embed(t, "b", texts...)
	for i, v := range first {
		if len(v) != 512 || math.Abs(cosine(v, v)-1) > 1e-5 {
			t.Errorf("%q: %d dimensions of length² %v", texts[i], len(v), cosine(v, v))
		}
		if !slices.Equal(v, second[i]) || !slices.Equal(v, embed(t, "c", texts[i])[0]) {
			t.Errorf("%q has another vector elsewhere", texts[i])
		}
	}
}

func TestTextsWithWordsInCommonAreNearer(t *testing.T) {
	for _, c := range []struct{ text, near, far string }{
		{"write a function that sorts a list", "Write a function", "Translate this into French"},
		{"Translate good morning into French", "Translate this into French", "Write a function"},
		{"functions", "function", "translation"},
		{"The cat sat on the mat", "the CAT sat, on the mat!", "the dog lay in the sun"},
	} {
		v := embed(t, "m", c.text, c.near, c.far)
		if near, far := cosine(v[0], v[1]), cosine(v[0], v[2]); near < far+0.2 {
			t.Errorf("%q: %.3f to %q and %.3f to %q", c.text, near, c.near, far, c.far)
		}
	}
}

func TestEmbeddingsMayBeAskedForInOtherForms(t *testing.T) {
	w := ask(t, demo.Config{Name: "m"}, http.MethodPost, "/v1/embeddings", `{"model":"demo-hashed-ngrams","input":"hello big world","dimensions":64,"encoding_format":"base64"}`)
	got := decode[struct {
		Data  []struct{ Embedding string }
		Usage map[string]int
	}](t, w.Body.String())
	raw, err := base64.StdEncoding.DecodeString(got.Data[0].Embedding)
	if err != nil || len(raw) != 4*64 || got.Usage["prompt_tokens"] != 3 || got.Usage["total_tokens"] != 3 {
		t.Fatalf("got %s", w.Body)
	}
	square := 0.0
	for ; len(raw) > 0; raw = raw[4:] {
		x := float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))
		square += x * x
	}
	if math.Abs(square-1) > 1e-5 {
		t.Errorf("length² %v", square)
	}
}

func TestBadRequestsForEmbeddingsAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		body, param string
		code        int
	}{
		"another model":       {`{"model":"m","input":"x"}`, "model", 404},
		"no input":            {`{"model":"demo-hashed-ngrams"}`, "input", 400},
		"an empty list":       {`{"model":"demo-hashed-ngrams","input":[]}`, "input", 400},
		"an empty text":       {`{"model":"demo-hashed-ngrams","input":["a",""]}`, "input", 400},
		"tokens":              {`{"model":"demo-hashed-ngrams","input":[1,2]}`, "", 400},
		"too few dimensions":  {`{"model":"demo-hashed-ngrams","input":"x","dimensions":1}`, "dimensions", 400},
		"too many dimensions": {`{"model":"demo-hashed-ngrams","input":"x","dimensions":5000}`, "dimensions", 400},
		"another format":      {`{"model":"demo-hashed-ngrams","input":"x","encoding_format":"hex"}`, "encoding_format", 400},
		"no JSON":             {`x`, "", 400},
	} {
		w := ask(t, demo.Config{Name: "m"}, http.MethodPost, "/v1/embeddings", c.body)
		got := decode[struct {
			Error struct{ Message, Param string }
		}](t, w.Body.String())
		if w.Code != c.code || got.Error.Param != c.param || got.Error.Message == "" {
			t.Errorf("%s: got %d %s", name, w.Code, w.Body)
		}
	}
}
