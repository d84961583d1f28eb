package dispatch_test

import (
	"strings"
	"testing"
)

const (
	withImage  = `{"model":"r","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:,"}}]}]}`
	withTools  = `{"model":"r","messages":[],"tools":[{"type":"function"}]}`
	withBoth   = `{"model":"r","messages":[{"role":"user","content":[{"type":"image_url"}]}],"tools":[{"type":"function"}]}`
	withSchema = `{"model":"r","messages":[],"response_format":{"type":"json_schema"}}`
)

func capable(lists ...string) options {
	o := options{routing: `,"retries":0,"max_fallbacks":1`}
	for _, list := range lists {
		o.targets = append(o.targets, "")
		if list == "?" { // says nothing
			o.models = append(o.models, "")
			continue
		}
		o.models = append(o.models, `,"capabilities":[`+list+`]`)
	}
	return o
}

func TestATargetThatLacksACapabilityIsNotTried(t *testing.T) {
	for _, c := range []struct {
		body    string
		targets []string
		want    string
	}{
		{question, []string{``, `"vision"`}, "a"},
		{withImage, []string{``, `"tools"`, `"vision"`}, "c"},
		{withImage, []string{``, `?`}, "b"},
		{withTools, []string{`"vision"`, `"tools"`}, "b"},
		{withBoth, []string{`"vision"`, `"tools"`, `"tools","vision"`}, "c"},
		{withSchema, []string{`"tools","vision"`, `"json_schema"`}, "b"},
	} {
		bubble(t, func(t *testing.T, n *network) {
			var ups []*upstream
			for i := range c.targets {
				ups = append(ups, n.upstream(string(rune('a'+i)), answer("ok")))
			}
			h := n.gateway(t, capable(c.targets...), ups...)
			if got := h.post(c.body).served(t); got != c.want {
				t.Errorf("%s with targets %q: served by %s, want %s", c.body, c.targets, got, c.want)
			}
		})
	}
}

func TestWhatNoTargetCanDoIsNamed(t *testing.T) {
	for _, c := range []struct {
		body    string
		targets []string
		param   string
		lacking string
	}{
		{withImage, []string{``, `"tools"`}, "messages", ": vision."},
		{withTools, []string{`"vision"`}, "tools", ": tools."},
		{withSchema, []string{``}, "response_format", ": json_schema."},
		{withBoth, []string{`"tools"`, `"tools"`}, "messages", ": vision."},
		{withBoth, []string{`"tools"`, `"vision"`}, "tools", ": tools, vision."}, // no target has both
		{strings.Replace(withImage, `"r"`, `"a"`, 1), []string{``}, "messages", ": vision."},
	} {
		bubble(t, func(t *testing.T, n *network) {
			order, r := n.ranksOf(t, capable(c.targets...), c.body)
			message, code, _ := r.apiError(t)
			if r.StatusCode != 400 || code != "not_capable" || !strings.HasSuffix(message, c.lacking) || !strings.Contains(r.body, `"param":"`+c.param+`"`) || order != "" {
				t.Errorf("%s with targets %q: got %d %s after hits on %q, want 400 that ends in %q and blames %s", c.body, c.targets, r.StatusCode, r.body, order, c.lacking, c.param)
			}
		})
	}
}

// TestTagsOutrankCapabilities: a request for one region is not answered in another because of a picture.
func TestTagsOutrankCapabilities(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		o := tagged("eu", "us", "default")
		o.models = []string{`,"capabilities":[]`, `,"capabilities":["vision"]`, `,"capabilities":["vision"]`}
		hits, r := n.ranksOf(t, o, withImage, "X-Sluice-Tags: eu")
		if _, code, _ := r.apiError(t); code != "not_capable" || hits != "" {
			t.Errorf("got %s after hits on %q, want not_capable and no hit", r.body, hits)
		}
	})
}
