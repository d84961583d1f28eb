package schemas

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func set(t testing.TB) *Set {
	t.Helper()
	s, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// pairs returns "pointer rule" for each fault.
func pairs(faults []Fault) []string {
	var out []string
	for _, f := range faults {
		out = append(out, f.Pointer+" "+f.Rule)
	}
	return out
}

// distinct returns a JSON array of n strings, each another.
func distinct(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"x%d"`, i)
	}
	return "[" + b.String()[1:] + "]"
}

// TestEveryFaultIsReportedAtOnceAtItsField holds one case for each rule of each schema.
func TestEveryFaultIsReportedAtOnceAtItsField(t *testing.T) {
	s := set(t)
	for _, c := range []struct {
		kind, in string
		want     []string
	}{
		{"routing", `{}`, []string{"/strategy required", "/targets required"}},
		{"routing", `[]`, []string{" type"}},
		{"routing", `null`, []string{" type"}},
		{"routing", `{"strategy":"failover","targets":[]}`, []string{"/targets min-items"}},
		{"routing", `{"strategy":"failover","targets":[{"model":"a","weight":0},{"model":"b","weight":0}]}`, []string{"/targets weights"}},
		{"routing", `{"strategy":"failover","targets":[{"model":"a"}],"latency":{}}`, []string{"/latency strategy"}},
		{"routing", `{"strategy":"least_latency","targets":[{"model":"a"}],"latency":{"probe_after":"1m","x":0}}`, []string{"/latency/x unknown-field"}},
		{"routing", `{"strategy":"consistent_hash","targets":[{"model":"a"}],"latency":{},"sticky_on":{"source":"api_key"}}`, []string{"/hash_on required", "/latency strategy", "/sticky_on strategy"}},
		{"routing", `{"strategy":"least_busy","targets":[{"model":"a","tags":["a b","x","x",""]}],"hash_on":{"source":"header"}}`, []string{"/hash_on strategy", "/hash_on/name required", "/targets/0/tags/0 tag", "/targets/0/tags/2 unique", "/targets/0/tags/3 tag"}},
		{"routing", `{"strategy":"consistent_hash","targets":[{"model":"a"}],"hash_on":{"source":"client_ip","name":"X"}}`, []string{"/hash_on/name exclusive"}},
		{"routing", `{"strategy":"consistent_hash","targets":[{"model":"a"}],"hash_on":{"source":"cookie","name":"a;b","x":1}}`, []string{"/hash_on/name token", "/hash_on/x unknown-field"}},
		{"routing", `{"strategy":"least_latency","targets":[{"model":"a"}],"sticky_on":{"name":"X","source":"ip"},"latency":{"selection":"fast","sharpness":0,"inflight":true}}`, []string{"/latency/inflight type", "/latency/selection enum", "/latency/sharpness minimum", "/sticky_on/source enum"}},
		{"routing", `{"strategy":"least_latency","targets":[{"model":"a"}],"sticky_on":{},"latency":{"sharpness":20.5}}`, []string{"/latency/sharpness maximum", "/sticky_on/source required"}},
		{"routing", `{"strategy":"semantic","targets":[{"model":"a","examples":["x"]}]}`, []string{"/semantic required"}},
		{"routing", `{"strategy":"semantic","targets":[{"model":"a","examples":["x"]}],"semantic":{}}`, []string{"/semantic/embeddings required"}},
		{"routing", `{"strategy":"semantic","targets":[{"model":"a"},{"model":"b","catchall":true},{"model":"c","catchall":false}],"semantic":{"embeddings":{"provider":"p"}}}`, []string{"/targets/0/examples required", "/targets/2/examples required"}},
		{"routing", `{"strategy":"semantic","targets":[{"model":"a","catchall":true},{"model":"b","catchall":true}],"semantic":{"embeddings":{"provider":"p"}}}`, []string{"/targets one-catchall"}},
		{"routing", `{"strategy":"semantic","targets":[{"model":"a","examples":` + distinct(65) + `}],"semantic":{"embeddings":{"provider":"p"}}}`, []string{"/targets/0/examples max-items"}},
		{"routing", `{"strategy":"semantic","targets":[{"model":"a","examples":` + distinct(64) + `}],"semantic":{"embeddings":{"provider":"p"}}}`, nil},
		{"routing", `{"strategy":"semantic","targets":[{"model":"a","examples":["",1," \t\n"],"threshold":-1.01},{"model":"b","examples":[],"threshold":"x","catchall":1}],"semantic":{"embeddings":{"provider":"p"},"threshold":1.01}}`,
			[]string{"/semantic/threshold maximum", "/targets/0/examples/0 blank", "/targets/0/examples/1 type", "/targets/0/examples/2 blank", "/targets/0/threshold minimum", "/targets/1/catchall type", "/targets/1/examples min-items", "/targets/1/threshold type"}},
		{"routing", `{"strategy":"semantic","targets":[{"model":"a","examples":["x"],"threshold":1}],"semantic":{"embeddings":{"model":"","endpoint":"https://u:p@h/","dimensions":16385,"timeout":3,"x":1},"on_embedding_failure":"panic","failover":"all","expose_scores":"yes","threshold":-1}}`,
			[]string{
				"/semantic/embeddings/dimensions maximum", "/semantic/embeddings/endpoint url", "/semantic/embeddings/model min-length", "/semantic/embeddings/provider required", "/semantic/embeddings/timeout type",
				"/semantic/embeddings/x unknown-field", "/semantic/expose_scores type", "/semantic/failover enum", "/semantic/on_embedding_failure enum",
			}},
		{"routing", `{"strategy":"scored","targets":[{"model":"a","examples":["x"],"threshold":0,"catchall":false}],"semantic":{"embeddings":{"provider":"p"}},"profile":"-"}`,
			[]string{"/profile id", "/semantic strategy", "/targets/0/catchall strategy", "/targets/0/examples strategy", "/targets/0/threshold strategy"}},
		{"routing", `{"strategy":"semantic","targets":[{"model":"a","catchall":true}],"semantic":{"embeddings":{"provider":"p"}},"profile":"x","latency":{},"sticky_on":{"source":"api_key"},"hash_on":{"source":"api_key"}}`,
			[]string{"/hash_on strategy", "/latency strategy", "/profile strategy", "/sticky_on strategy"}},
		{"profile", `{}`, nil},
		{"profile", `{"optimize":{}}`, []string{"/optimize weights"}},
		{"profile", `{"optimize":{"latency":0,"health":0,"cost":0.0,"quota":0e1,"priority":0}}`, []string{"/optimize weights"}},
		{"profile", `{"optimize":{"latency":-1,"cost":1001,"speed":1},"missing":{"latency":"guess","priority":"prior"}}`,
			[]string{"/missing/latency enum", "/missing/priority unknown-field", "/optimize/cost maximum", "/optimize/latency minimum", "/optimize/speed unknown-field"}},
		{"profile", `{"require":{"capabilities":["tools","sight"],"context_window":0},"limits":{"max_cost_usd":0,"max_latency_ms":0},"prefer":{"p50":1,"p90":"-1s","min_throughput":0},"exploration":0.51,"probe_after":"soon"}`,
			[]string{
				"/exploration maximum", "/limits/max_cost_usd minimum", "/limits/max_latency_ms minimum", "/prefer/min_throughput minimum", "/prefer/p50 type", "/prefer/p90 duration", "/probe_after duration",
				"/require/capabilities/1 enum", "/require/context_window minimum",
			}},
		{"model", `{"provider":"p","upstream_model":"u","context_window":0}`, []string{"/context_window minimum"}},
		{"api_key", `{"key_sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","allowed_models":[],"explain":"yes"}`, []string{"/explain type"}},
		{
			"routing",
			`{"id":".x","description":null,"strategy":"fastest","targets":[{"model":"a","weight":-1,"wieght":2},{"model":"/"},{"model":"c","weight":1.0},{"model":"d","priority":1e1},7,{"model":"d"},{"model":"d"},{}],
			  "retries":11,"max_fallbacks":-1,"retry_on_429":"yes","fallback_on_statuses":[404,399,404,500],"when_all_unavailable":"panic","deadline":"10","latency":{"probe_after":60},"labels":{"":"x","a b":"y","ok":"a\u0000","c":3}}`,
			[]string{
				"/deadline duration", "/description type", "/fallback_on_statuses/1 minimum", "/fallback_on_statuses/2 unique", "/fallback_on_statuses/3 maximum", "/id id",
				"/labels/ label", "/labels/a b label", "/labels/c type", "/labels/ok label", "/latency/probe_after type", "/max_fallbacks minimum", "/retries maximum", "/retry_on_429 type", "/strategy enum",
				"/targets/0/weight minimum", "/targets/0/wieght unknown-field", "/targets/1/model id", "/targets/2/weight type", "/targets/3/priority type", "/targets/4 type", "/targets/6 unique", "/targets/7/model required",
				"/when_all_unavailable enum",
			},
		},
		{"model", `{}`, []string{"/provider required", "/upstream_model required"}},
		{
			"model", `{"provider":"a b","upstream_model":"","cooldown":{"failures":0,"duration":"-1s","max":"5 m"},"timeouts":{"connect":"","idle":"1x","attempt":null,"first":"1s"},"price":{},"Provider":"a"}`,
			[]string{
				"/Provider unknown-field", "/cooldown/duration duration", "/cooldown/failures minimum", "/cooldown/max duration", "/price unknown-field", "/provider id", "/timeouts/attempt type",
				"/timeouts/connect duration", "/timeouts/first unknown-field", "/timeouts/idle duration", "/upstream_model min-length",
			},
		},
		{
			"model", `{"provider":"a","upstream_model":"u","cost":{"input_per_1m":-1,"output_per_1m":"1"},"parameters":{"set":{"model":"x","stream":true,"streams":1,"":0,"top_p":{"any":[1]}},"remove":["stream_options","",3]},"health_check":{"path":"/a\u000ab","interval":10,"failures":0}}`,
			[]string{
				"/cost/input_per_1m minimum", "/cost/output_per_1m type", "/health_check/failures minimum", "/health_check/interval type", "/health_check/path path",
				"/parameters/remove/0 reserved", "/parameters/remove/1 min-length", "/parameters/remove/2 type", "/parameters/set/model reserved", "/parameters/set/stream reserved",
			},
		},
		{"model", `{"provider":"a","upstream_model":"u","capabilities":["tools","sight","tools"],"max_concurrency":0}`, []string{"/capabilities/1 enum", "/capabilities/2 unique", "/max_concurrency minimum"}},
		{"model", `{"provider":"a","upstream_model":"u","capabilities":null,"max_concurrency":1.5}`, []string{"/capabilities type", "/max_concurrency type"}},
		{"model", `{"provider":"a","upstream_model":"` + strings.Repeat("é", 257) + `"}`, []string{"/upstream_model max-length"}},
		{"provider", `{}`, []string{"/base_url required", "/kind required"}},
		{
			"provider",
			`{"kind":"gemini","base_url":"ftp://h","auth":{"query":"k","header":"h","scheme":""},"headers":{"":"a","a b":"c","cOOkie":"a","X":"a\nb","X~/Y":1},"tls":{"key_pem":"-----BEGIN RSA PRIVATE KEY-----","ca_pem":"x","server_name":"a/b","insecure_skip_verify":1}}`,
			[]string{
				"/auth/header exclusive", "/auth/scheme exclusive", "/auth/secret required", "/base_url url", "/headers/ header-name", "/headers/X header-value", "/headers/X~0~1Y header-name", "/headers/a b header-name",
				"/headers/cOOkie reserved-header", "/kind enum", "/tls/ca_pem pem", "/tls/cert_pem required", "/tls/insecure_skip_verify type", "/tls/server_name host",
			},
		},
		{"provider", `{"kind":"openai","base_url":"http://h","auth":{"secret":"","header":"a:b","scheme":"a b"},"tls":{"cert_pem":"-----BEGIN CERTIFICATE-----"}}`, []string{
			"/auth/header header-name", "/auth/scheme scheme", "/auth/secret min-length", "/tls/key_pem required",
		}},
		{"provider", `{"kind":"openai","base_url":"http://h","auth":{"secret":"a\r\nb","query":"a=b"}}`, []string{"/auth/query query-name", "/auth/secret header-value"}},
		{"api_key", `{}`, []string{"/allowed_models required", "/key_sha256 required"}},
		{
			"api_key", `{"key_sha256":"9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08","allowed_models":["[a]","a","a",""],"expires_at":"2030-02-30T00:00:00Z","disabled":null}`,
			[]string{"/allowed_models/0 glob", "/allowed_models/2 unique", "/allowed_models/3 glob", "/disabled type", "/expires_at date-time", "/key_sha256 sha256"},
		},
		{"planet", `{}`, []string{" kind"}},
	} {
		got := pairs(s.Validate(c.kind, []byte(c.in)))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("Validate(%s, %s) (-want +got):\n%s", c.kind, c.in, diff)
		}
	}
}

func TestEveryBaseURLThatCoreRefusesIsRefused(t *testing.T) {
	s := set(t)
	for in, want := range map[string]bool{
		"https://api.openai.com/v1": true, "http://10.0.0.1:8000": true, "http://[::1]:80/v1/": true, "https://h/a@b": true,
		"": false, "h": false, "//h": false, "ftp://h": false, "http://": false, "http:///v1": false, "http://u@h": false, "http://u:p@h/v1": false,
		"http://h?x=1": false, "http://h/v1?": false, "http://h/#": false, "http://h:port": false, "http://h/%zz": false, "http://a b/": false, "HTTP://h": false,
	} {
		raw, err := json.Marshal(map[string]string{"kind": "openai", "base_url": in})
		if err != nil {
			t.Fatal(err)
		}
		if faults := s.Validate("provider", raw); (len(faults) == 0) != want {
			t.Errorf("base_url %q: faults %v, want valid %v", in, faults, want)
		}
	}
}

func TestMessagesNameTheFieldTheRuleAndTheValue(t *testing.T) {
	s := set(t)
	in := `{"strategy":"fastest","targets":[{"model":"a","weight":-1,"wieght":2}],"deadline":10,"description":"` + strings.Repeat("x", 1025) + `"}`
	want := []string{
		"deadline must be a string (got a number); it must be a length of time with a unit, such as \"300ms\", \"10s\" or \"1m30s\"",
		"description must be at most 1024 characters long (got 1025)",
		`strategy must be one of "failover", "round_robin", "least_latency", "consistent_hash", "least_cost", "least_busy", "semantic", "scored" (got "fastest")`,
		"targets[0].weight must be at least 0 (got -1)",
		"targets[0].wieght is not a known field; known are catchall, examples, model, priority, tags, threshold, weight",
	}
	var got []string
	for _, f := range s.Validate("routing", []byte(in)) {
		got = append(got, f.Message)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// TestEveryRefusalOfSemanticAndScoredRoutingHasWordsOfItsOwn: whoever writes the resource reads what to mend.
func TestEveryRefusalOfSemanticAndScoredRoutingHasWordsOfItsOwn(t *testing.T) {
	s := set(t)
	semantic := func(targets, settings string) string {
		return `{"strategy":"semantic","targets":[` + targets + `],"semantic":` + settings + `}`
	}
	const embeddings = `{"embeddings":{"provider":"p"}}`
	for _, c := range []struct{ kind, in, want string }{
		{"routing", semantic(`{"model":"a"}`, embeddings), "targets[0].examples is required: prompts are compared with the examples, and only the catchall can do without"},
		{"routing", semantic(`{"model":"a","examples":`+distinct(65)+`}`, embeddings), "targets[0].examples must have at most 64 items (got 65)"},
		{"routing", semantic(`{"model":"a","examples":[]}`, embeddings), "targets[0].examples must have at least 1 item (got 0)"},
		{"routing", semantic(`{"model":"a","examples":["\n"]}`, embeddings), `targets[0].examples[0] must hold something other than white space (got "\n")`},
		{"routing", semantic(`{"model":"a","catchall":true},{"model":"b","catchall":true}`, embeddings), "targets must hold at most one catchall"},
		{"routing", semantic(`{"model":"a","examples":["x"],"threshold":-1.5}`, embeddings), "targets[0].threshold must be at least -1 (got -1.5)"},
		{"routing", semantic(`{"model":"a","examples":["x"]}`, `{"embeddings":{"provider":"p"},"threshold":2}`), "semantic.threshold must be at most 1 (got 2)"},
		{"routing", semantic(`{"model":"a","examples":["x"]}`, `{"threshold":0}`), "semantic.embeddings is required: it says who turns prompts and examples into vectors"},
		{"routing", `{"strategy":"semantic","targets":[{"model":"a","examples":["x"]}]}`, `semantic is required when strategy is "semantic"`},
		{"routing", `{"strategy":"failover","targets":[{"model":"a"}],"semantic":` + embeddings + `}`, `semantic must be absent unless strategy is "semantic"`},
		{"routing", `{"strategy":"failover","targets":[{"model":"a","examples":["x"]}]}`, `targets[0].examples must be absent unless strategy is "semantic"`},
		{"routing", `{"strategy":"scored","targets":[{"model":"a","threshold":1}]}`, `targets[0].threshold must be absent unless strategy is "semantic"`},
		{"routing", `{"strategy":"least_cost","targets":[{"model":"a","catchall":false}]}`, `targets[0].catchall must be absent unless strategy is "semantic"`},
		{"routing", `{"strategy":"failover","targets":[{"model":"a"}],"profile":"x"}`, `profile must be absent unless strategy is "scored"`},
		{"routing", semantic(`{"model":"a","examples":["x"]}`, `{"embeddings":{"provider":"p","endpoint":"https://h/?api-key=hush#a"}}`), "semantic.embeddings.endpoint must be an http:// or https:// URL with a host and without user, password or fragment"},
		{"profile", `{"optimize":{"cost":0}}`, "optimize must hold at least one weight above 0"},
		{"profile", `{"optimize":{"health":-1,"cost":1}}`, "optimize.health must be at least 0 (got -1)"},
		{"profile", `{"missing":{"cost":"guess"}}`, `missing.cost must be one of "prior", "penalize", "exclude" (got "guess")`},
	} {
		faults := s.Validate(c.kind, []byte(c.in))
		if len(faults) != 1 || faults[0].Message != c.want {
			t.Errorf("%s %s: %v, want %q alone", c.kind, c.in, faults, c.want)
		}
	}
}

func TestNumbersKeepTheirDigits(t *testing.T) {
	s := set(t)
	for in, want := range map[string]string{
		"9007199254740993":               "targets[0].weight must be at most 1000000 (got 9007199254740993)",
		"1000001":                        "targets[0].weight must be at most 1000000 (got 1000001)",
		"1000000":                        "",
		"-0":                             "",
		"10.0":                           "targets[0].weight must be a whole number written without fraction or exponent (got 10.0)",
		"1e1":                            "targets[0].weight must be a whole number written without fraction or exponent (got 1e1)",
		"0.5":                            "targets[0].weight must be a whole number written without fraction or exponent (got 0.5)",
		"0.1000000000000000055511151231": "targets[0].weight must be a whole number written without fraction or exponent (got 0.1000000000000000055511151231)",
	} {
		got := ""
		for _, f := range s.Validate("routing", []byte(`{"strategy":"round_robin","targets":[{"model":"a","weight":`+in+`},{"model":"b"}]}`)) {
			got += f.Message
		}
		if got != want {
			t.Errorf("weight %s: %q, want %q", in, got, want)
		}
	}
}

func TestMessagesNeverShowWhatIsOrMayBeASecret(t *testing.T) {
	s := set(t)
	const hidden = "SECRET"
	for _, c := range [][2]string{
		{"provider", `{"auth":"SECRET"}`},
		{"provider", `{"auth":{"secret":"SECRET\n"}}`},
		{"provider", `{"auth":{"secret":["SECRET"],"api_key":"SECRET"}}`},
		{"provider", `{"api_key":"SECRET","headers":{"Authorization":"SECRET","X":"SECRET\n","a b":"SECRET"}}`},
		{"provider", `{"tls":{"key_pem":"SECRET","cert_pem":"SECRET","ca_pem":"SECRET"}}`},
		{"provider", `{"base_url":"https://u:SECRET@h/v1?key=SECRET"}`},
		{"api_key", `{"key_sha256":"SECRET","key":"SECRET"}`},
		{"provider", `{"auth":{"secret":"SECRET`},
		{"provider", `{"auth":{"secret":"\ud800SECRET"}}`},
		{"provider", `{"auth":{"secret":"\xSECRET"}}`},
	} {
		faults := s.Validate(c[0], []byte(c[1]))
		if len(faults) == 0 {
			t.Errorf("Validate(%s, %s) found nothing", c[0], c[1])
		}
		for _, f := range faults {
			if strings.Contains(f.Message+f.Pointer, hidden) {
				t.Errorf("Validate(%s, %s) shows the secret: %+v", c[0], c[1], f)
			}
		}
	}
}

func TestFaultsAreBounded(t *testing.T) {
	s := set(t)
	in := `{"a":1` + strings.Repeat(`,"a":1`, 900) + `}`
	if got := len(s.Validate("model", []byte(in))); got != maxFaults+1 {
		t.Errorf("%d faults for 900 repeated names, want %d", got, maxFaults+1)
	}
	in = `{"provider":"a","upstream_model":"b","labels":{"!0":0` + strings.Repeat(`,"!`+strings.Repeat("x", 10)+`0":0`, 0)
	for i := range 900 {
		in += `,"!` + strings.Repeat("x", 1+i/100) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + `":0`
	}
	in += `}}`
	if got := len(s.Validate("model", []byte(in))); got != maxFaults+1 {
		t.Errorf("%d faults for 900 bad labels, want %d", got, maxFaults+1)
	}
}

func TestOneSetServesManyAtOnce(t *testing.T) {
	s := set(t)
	in := []byte(`{"strategy":"failover","targets":[{"model":"a","weight":0}],"latency":{}}`)
	want := s.Validate("routing", in)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if diff := cmp.Diff(want, s.Validate("routing", in)); diff != "" {
					t.Errorf("another answer at the same time (-want +got):\n%s", diff)
				}
			}
		})
	}
	wg.Wait()
}
