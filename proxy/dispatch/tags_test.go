package dispatch_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// tagged are targets with those tags, one string each; "" bears none.
func tagged(tags ...string) options {
	o := options{routing: `,"retries":0`}
	for _, list := range tags {
		members := ""
		if list != "" {
			members = `,"tags":["` + strings.ReplaceAll(list, " ", `","`) + `"]`
		}
		o.targets = append(o.targets, members)
	}
	return o
}

// ranks asks a question to targets that all fail, and returns those that were tried, in order.
func (n *network) ranks(t *testing.T, o options, headers ...string) (tried string, last reply) {
	t.Helper()
	return n.ranksOf(t, o, question, headers...)
}

func (n *network) ranksOf(t *testing.T, o options, body string, headers ...string) (tried string, last reply) {
	t.Helper()
	var ups []*upstream
	var order strings.Builder // attempts follow one another
	for i := range o.targets {
		name := string(rune('a' + i))
		ups = append(ups, n.upstream(name, func(w http.ResponseWriter, r *http.Request) {
			order.WriteString(name)
			status(500, "{}")(w, r)
		}))
	}
	last = n.gateway(t, o, ups...).with(body, headers...)
	return order.String(), last
}

func TestTagsLeaveTheTargetsThatBearOne(t *testing.T) {
	for _, c := range []struct {
		targets []string
		ask     string
		want    string
	}{
		{[]string{"eu", "us", ""}, "eu", "a"},
		{[]string{"eu", "us", ""}, "us,eu", "ab"},
		{[]string{"eu fast", "eu", "fast"}, "fast", "ac"}, // any of them
		{[]string{"eu", "us", "default"}, "asia", "c"},    // nobody bears it: the default
		{[]string{"eu", "us default", "default"}, "asia, us", "b"},
		{[]string{"eu", "us", "default"}, "default", "c"},
		{[]string{"eu", "", "default"}, "", "bc"}, // none asked for
		{[]string{"eu", "eu default", "us"}, "", "b"},
		{[]string{"eu", "us"}, "", "ab"}, // every target is for somebody
		{[]string{"", ""}, "", "ab"},
		{[]string{"eu", ""}, " , ,", "b"},
		{[]string{"eu", "us"}, "EU,us", "b"}, // letters count
	} {
		bubble(t, func(t *testing.T, n *network) {
			order, r := n.ranks(t, tagged(c.targets...), "X-Sluice-Tags: "+c.ask)
			if order != c.want || r.Header.Get("X-Sluice-Attempts") != fmt.Sprint(len(c.want)) {
				t.Errorf("tags %q of targets %q: tried %q in %s attempts, want %q", c.ask, c.targets, order, r.Header.Get("X-Sluice-Attempts"), c.want)
			}
		})
	}
}

// TestARequestNeverFallsThroughToATargetThatItsTagsExclude: neither when no target bears them, nor when all that do
// fail or are asked for in several headers.
func TestARequestNeverFallsThroughToATargetThatItsTagsExclude(t *testing.T) {
	for _, c := range []struct {
		targets []string
		ask     []string
		status  int
		code    string
		hits    string
	}{
		{[]string{"us", ""}, []string{"eu"}, 400, "tags_not_served", ""},
		{[]string{"", ""}, []string{"eu", "x"}, 400, "tags_not_served", ""},
		{[]string{"eu", "us", "default", ""}, []string{"eu"}, 500, "", "a"},
		{[]string{"eu", "us", "x"}, []string{"x", "us"}, 500, "", "bc"},
		{[]string{"eu"}, []string{"e u"}, 400, "invalid_tags", ""},
		{[]string{"eu"}, []string{strings.Repeat("x", 65)}, 400, "invalid_tags", ""},
		{[]string{"eu"}, []string{"a,b,c,d,e,f,g,h", "i,j,k,l,m,n,o,p,q"}, 400, "invalid_tags", ""},
		{[]string{"eu"}, []string{"eu,eu,eu,eu,eu,eu,eu,eu,eu", "eu,eu,eu,eu,eu,eu,eu,eu,eu"}, 500, "", "a"}, // one tag
	} {
		bubble(t, func(t *testing.T, n *network) {
			var headers []string
			for _, value := range c.ask {
				headers = append(headers, "X-Sluice-Tags: "+value)
			}
			hits, r := n.ranks(t, tagged(c.targets...), headers...)
			message, code, kind := r.apiError(t)
			if r.StatusCode != c.status || code != c.code || hits != c.hits {
				t.Errorf("tags %q of targets %q: got %d %q after hits on %q, want %d %q after %q", c.ask, c.targets, r.StatusCode, code, hits, c.status, c.code, c.hits)
			}
			if c.status == 400 && (!strings.Contains(message, "x-sluice-tags") || kind != "invalid_request_error" || !strings.Contains(r.body, `"param":"x-sluice-tags"`)) {
				t.Errorf("tags %q: the error %s does not name the header", c.ask, r.body)
			}
		})
	}
}

func TestAModelNamedDirectlyServesWhateverTagsAreAskedFor(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		h := n.gateway(t, tagged("eu", ""), n.upstream("a", answer("a")), n.upstream("b", answer("b")))
		for model, want := range map[string]string{"a": "a", "b": "b"} { // named directly: its caller has chosen
			if got := h.with(strings.Replace(question, `"r"`, `"`+model+`"`, 1), "X-Sluice-Tags: asia").served(t); got != want {
				t.Errorf("model %s with tags: served by %s", model, got)
			}
		}
	})
}

func TestTagsComeBeforeFallbacks(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		o := tagged("us", "us", "eu", "us", "eu")
		o.routing = `,"retries":0,"max_fallbacks":1`
		if order, _ := n.ranks(t, o, "X-Sluice-Tags: eu"); order != "ce" {
			t.Errorf("tried %q, want both targets: those left out use up no fallback", order)
		}
	})
}
