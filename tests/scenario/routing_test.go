package scenario

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/sluice-gateway/sluice/tests/upstream"
)

// asked sends one request, with headers spelled "Name: value", and returns the model that answered.
func (c caller) asked(t *testing.T, p openai.ChatCompletionNewParams, headers ...string) (target string, err error) {
	t.Helper()
	var resp *http.Response
	options := []option.RequestOption{option.WithResponseInto(&resp)}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		options = append(options, option.WithHeader(name, value))
	}
	if _, err := c.sdk.Chat.Completions.New(t.Context(), p, options...); err != nil {
		return "", err
	}
	return resp.Header.Get("X-Sluice-Target"), nil
}

// wantAsked checks which model answers.
func (c caller) wantAsked(t *testing.T, want string, p openai.ChatCompletionNewParams, headers ...string) {
	t.Helper()
	if got, err := c.asked(t, p, headers...); err != nil || got != want {
		t.Errorf("%s with %q: answered by %q, %v; want %q", p.Model, headers, got, err, want)
	}
}

// wantRefused checks that the gateway itself refuses with that code.
func (c caller) wantRefused(t *testing.T, code string, p openai.ChatCompletionNewParams, headers ...string) {
	t.Helper()
	got, err := c.asked(t, p, headers...)
	var failure *openai.Error
	if !errors.As(err, &failure) || failure.StatusCode != http.StatusBadRequest || failure.Code != code {
		t.Errorf("%s with %q: answered by %q, %v; want 400 %s", p.Model, headers, got, err, code)
	}
}

// requestsGoWhereTheirKeysTagsAndNeedsSay, through every proxy alike.
func requestsGoWhereTheirKeysTagsAndNeedsSay(t *testing.T, env Environment) {
	env.Scale(t, 2)
	o := newOperator(t, env)
	key := newKey(o, "routes")
	server := env.Upstream(t, upstream.Behaviour{})
	o.put("providers/routes", fmt.Sprintf(`{"kind":"openai","base_url":%q}`, server.BaseURL))
	for name, more := range map[string]string{
		"routes-a": `,"capabilities":["tools"],"cost":{"input_per_1m":1,"output_per_1m":8}`,
		"routes-b": `,"capabilities":["vision"],"cost":{"input_per_1m":4,"output_per_1m":4}`,
		"routes-c": `,"capabilities":[]`,
	} {
		o.put("models/"+name, fmt.Sprintf(`{"provider":"routes","upstream_model":%q%s}`, name, more))
	}
	o.put("routings/routes-tagged", `{"strategy":"failover","targets":[{"model":"routes-a","tags":["eu"]},{"model":"routes-b","tags":["us","default"]},{"model":"routes-c"}]}`)
	o.put("routings/routes-hashed", `{"strategy":"consistent_hash","hash_on":{"source":"header","name":"X-User-Id"},"targets":[{"model":"routes-a"},{"model":"routes-b"},{"model":"routes-c"}]}`)
	o.put("routings/routes-priced", `{"strategy":"least_cost","targets":[{"model":"routes-c"},{"model":"routes-b"},{"model":"routes-a"}]}`)

	var keysAt []string // of each proxy, where its keys go
	for _, p := range env.Proxies() {
		c := direct(t, p, key)
		tagsFilter(t, c)
		needsFilter(t, c)
		theCheapestAnswers(t, c)
		keysAt = append(keysAt, whereKeysGo(t, c))
	}
	if keysAt[0] != keysAt[1] {
		t.Errorf("two proxies send the same keys elsewhere:\n%s\n%s", keysAt[0], keysAt[1])
	}
	for _, name := range []string{"routes-a", "routes-b", "routes-c"} {
		if !strings.Contains(keysAt[0], name) {
			t.Errorf("no key goes to %s: %s", name, keysAt[0])
		}
	}
	for _, r := range server.Requests() {
		if r.Header.Get("X-Sluice-Tags")+r.Header.Get("X-User-Id") != "" {
			t.Errorf("the upstream was told tags or keys: %v", r.Header)
		}
	}
}

func tagsFilter(t *testing.T, c caller) {
	t.Helper()
	p := params("routes-tagged")
	c.wantAsked(t, "routes-a", p, "X-Sluice-Tags: eu")
	c.wantAsked(t, "routes-a", p, "X-Sluice-Tags: us, eu")
	c.wantAsked(t, "routes-b", p, "X-Sluice-Tags: asia") // the default
	c.wantAsked(t, "routes-b", p)                        // open to everybody, and before c
	c.wantRefused(t, "invalid_tags", p, "X-Sluice-Tags: e u")
	c.wantRefused(t, "tags_not_served", params("routes-hashed"), "X-Sluice-Tags: eu")
}

func needsFilter(t *testing.T, c caller) {
	t.Helper()
	picture := params("routes-tagged")
	picture.Messages = []openai.ChatCompletionMessageParamUnion{openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
		openai.TextContentPart("What is this?"),
		openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: "data:image/png;base64,AAAA"}),
	})}
	c.wantAsked(t, "routes-b", picture)
	c.wantRefused(t, "not_capable", picture, "X-Sluice-Tags: eu")

	tools := params("routes-tagged")
	tools.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: "look_up"})}
	c.wantAsked(t, "routes-a", tools, "X-Sluice-Tags: eu")
	c.wantRefused(t, "not_capable", tools)
}

// theCheapestAnswers: a long prompt costs least with a, which is listed last; c has no price. Without a, b is next.
func theCheapestAnswers(t *testing.T, c caller) {
	t.Helper()
	long := params("routes-priced")
	text := strings.Repeat("Say something. ", 500)
	long.Messages = []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)}
	c.wantAsked(t, "routes-a", long)
	long.Messages = []openai.ChatCompletionMessageParamUnion{openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
		openai.TextContentPart(text), openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: "data:image/png;base64,AAAA"}),
	})}
	c.wantAsked(t, "routes-b", long)
}

// whereKeysGo names the target of each of some keys. Asked again, they meet the same one.
func whereKeysGo(t *testing.T, c caller) string {
	t.Helper()
	var out []string
	for i := range 24 {
		header := fmt.Sprint("X-User-Id: user-", i)
		target, err := c.asked(t, params("routes-hashed"), header)
		if err != nil {
			t.Fatal(err)
		}
		c.wantAsked(t, target, params("routes-hashed"), header)
		out = append(out, target)
	}
	return strings.Join(out, " ")
}
