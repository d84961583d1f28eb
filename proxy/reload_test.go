package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy"
	"github.com/sluice-gateway/sluice/store"
)

// write stores values as they are, by any writer's hand; nil deletes. All of it is one transaction.
func (f *fleet) write(values map[core.Ref][]byte) int64 {
	f.t.Helper()
	var changes []store.Change
	for ref, value := range values {
		changes = append(changes, store.Change{Ref: ref, Value: value})
	}
	r, err := f.store.Update(f.t.Context(), func(store.Image) ([]store.Change, error) { return changes, nil })
	if err != nil {
		f.t.Fatal(err)
	}
	return r.Revision
}

func model(id string) core.Ref    { return core.Ref{Kind: core.KindModel, ID: id} }
func provider(id string) core.Ref { return core.Ref{Kind: core.KindProvider, ID: id} }
func routing(id string) core.Ref  { return core.Ref{Kind: core.KindRouting, ID: id} }

// TestARequestKeepsTheConfigurationThatItBeganWith: while its first target fails slowly, its second is
// repointed, deleted and replaced, and something invalid is written.
func TestARequestKeepsTheConfigurationThatItBeganWith(t *testing.T) {
	f := newFleet(t)
	entered, release := make(chan struct{}), make(chan struct{})
	f.serve("slow", func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			entered <- struct{}{}
			<-release
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	f.serve("second", says("from the second as it was"))
	other := httptest.NewServer(says("from elsewhere"))
	t.Cleanup(other.Close)
	f.put(core.KindRouting, "r", `"strategy":"failover","targets":[{"model":"slow"},{"model":"second"}],"retries":0`)
	n := f.start(proxy.Config{})
	answered := make(chan string, 1)
	go func() {
		code, header, body := n.ask("r")
		answered <- fmt.Sprint(code, " ", header.Get("X-Sluice-Target"), " ", body)
	}()
	<-entered
	f.put(core.KindProvider, "second", `"kind":"openai","base_url":"`+other.URL+`"`)
	last := f.write(map[core.Ref][]byte{routing("r"): []byte(`{"id":"r","strategy":"failover","targets":[{"model":"slow"}]}`), model("second"): nil, provider("second"): nil, model("bad"): []byte("garbage")})
	n.await("the changes are served", func() bool { return n.revision() >= last })
	if code, _, _ := n.ask("second"); code != 404 {
		t.Errorf("a new request for the deleted model got %d", code)
	}
	close(release)
	if got := <-answered; !strings.HasPrefix(got, "200 second ") || !strings.Contains(got, "from the second as it was") {
		t.Errorf("the request that was under way got %s", got)
	}
}

// TestStreamsOutliveTheirModels: their model, provider and transport settings go while they are read.
func TestStreamsOutliveTheirModels(t *testing.T) {
	f := newFleet(t)
	const streams = 5
	entered, release := make(chan struct{}, streams), make(chan struct{})
	f.serve("m", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"a"}}]}`+"\n\n")
		http.NewResponseController(w).Flush()
		entered <- struct{}{}
		<-release
		io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	})
	f.serve("other", says("x"))
	n := f.start(proxy.Config{})
	var clients sync.WaitGroup
	for range streams {
		resp, err := n.request(t.Context(), `{"model":"m","stream":true}`)
		if err != nil {
			t.Fatal(err)
		}
		<-entered
		clients.Go(func() {
			defer resp.Body.Close()
			b, err := io.ReadAll(resp.Body)
			if err != nil || !strings.HasSuffix(string(b), "data: [DONE]\n\n") || !strings.Contains(string(b), `"b"`) {
				t.Errorf("a stream ended %q (%v)", b, err)
			}
		})
	}
	last := f.write(map[core.Ref][]byte{model("m"): nil, provider("m"): nil})
	n.await("the deletion is served", func() bool { return n.revision() >= last })
	n.ask("other")
	close(release)
	clients.Wait()
}

func TestChangesGoodAndBadUnderLoadCostNoAnswer(t *testing.T) {
	f := newFleet(t)
	f.serve("one", says("x"))
	f.serve("two", says("x"))
	f.put(core.KindRouting, "r", `"strategy":"round_robin","targets":[{"model":"one"},{"model":"two"}]`)
	n := f.start(proxy.Config{})
	var asked, failed atomic.Int64
	stop := make(chan struct{})
	var load sync.WaitGroup
	for range 4 {
		load.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				asked.Add(1)
				resp, err := n.request(t.Context(), `{"model":"r","messages":[]}`)
				if err != nil {
					failed.Add(1)
					continue
				}
				if io.Copy(io.Discard, resp.Body); resp.StatusCode != 200 {
					failed.Add(1)
				}
				resp.Body.Close()
			}
		})
	}
	var last int64
	for i := range 100 {
		last = f.write(map[core.Ref][]byte{
			routing("r"):  []byte(fmt.Sprintf(`{"id":"r","strategy":"round_robin","targets":[{"model":"one","weight":%d},{"model":"two"}]}`, i+1)),
			model("junk"): []byte([]string{"garbage", `{"id":"junk","provider":"nowhere","upstream_model":"u"}`, `{"id":"other"}`}[i%3]),
		})
	}
	n.await("the last change is served", func() bool { return n.revision() >= last })
	close(stop)
	load.Wait()
	if failed.Load() != 0 || asked.Load() == 0 {
		t.Errorf("%d of %d requests failed during 100 changes", failed.Load(), asked.Load())
	}
}

// TestANodeThatStartsOnABadResourceServesTheRest, and says what it does not serve and why.
func TestANodeThatStartsOnABadResourceServesTheRest(t *testing.T) {
	f := newFleet(t)
	f.serve("m", says("hello"))
	f.write(map[core.Ref][]byte{model("bad"): []byte("garbage"), provider("worse"): []byte(`{"id":"worse","kind":"openai","base_url":"ftp://x"}`)})
	n := f.start(proxy.Config{})
	if code, _, body := n.ask("m"); code != 200 {
		t.Errorf("got %d %s", code, body)
	}
	_, status := n.get("/status")
	_, metrics := n.get("/metrics")
	for _, want := range []string{`"bad"`, `"worse"`, "/base_url"} {
		if !strings.Contains(status, want) {
			t.Errorf("the status does not name %s: %s", want, status)
		}
	}
	if !strings.Contains(metrics, "\nsluice_rejected_faults 2\n") {
		t.Error("the metrics do not count the faults")
	}
}

func TestTheSeriesOfADeletedModelGoFromANode(t *testing.T) {
	f := newFleet(t)
	f.serve("kept", says("x"))
	f.serve("doomed", says("x"))
	n := f.start(proxy.Config{})
	n.ask("kept")
	n.ask("doomed")
	if _, metrics := n.get("/metrics"); strings.Count(metrics, `"doomed"`) == 0 {
		t.Fatalf("nothing is measured of the model: %s", metrics)
	}
	last := f.write(map[core.Ref][]byte{model("doomed"): nil})
	n.await("the deletion is served", func() bool { return n.revision() >= last })
	n.ask("doomed")
	_, metrics := n.get("/metrics")
	if strings.Contains(metrics, `"doomed"`) || !strings.Contains(metrics, `"kept"`) {
		t.Errorf("the metrics are of %d series of the deleted model and %d of the other", strings.Count(metrics, `"doomed"`), strings.Count(metrics, `"kept"`))
	}
}

// TestEventsReachAClientThatAcceptsCompression one by one, through all of a node: what gathers or
// compresses them would hang this test.
func TestEventsReachAClientThatAcceptsCompression(t *testing.T) {
	f := newFleet(t)
	next := make(chan struct{})
	f.serve("m", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 5 {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%d\"}}]}\n\n", i)
			http.NewResponseController(w).Flush()
			select {
			case <-next: // the client has it
			case <-r.Context().Done():
				return
			}
		}
		io.WriteString(w, "data: [DONE]\n\n")
	})
	n := f.start(proxy.Config{})
	req, err := http.NewRequest("POST", n.api+"/v1/chat/completions", strings.NewReader(`{"model":"m","stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Accept-Encoding", "gzip, br")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.Header.Get("Content-Encoding") != "" {
		t.Errorf("the stream is compressed: %v", resp.Header)
	}
	lines := bufio.NewReader(resp.Body)
	for i := range 5 {
		event, err := lines.ReadString('\n')
		if blank, _ := lines.ReadString('\n'); err != nil || blank != "\n" || !strings.Contains(event, fmt.Sprintf(`"content":"%d"`, i)) {
			t.Fatalf("event %d: %q (%v)", i, event, err)
		}
		next <- struct{}{}
	}
	if rest, err := io.ReadAll(lines); err != nil || string(rest) != "data: [DONE]\n\n" {
		t.Errorf("the end is %q (%v)", rest, err)
	}
}

func TestPicturesFitTheLimitsOfANode(t *testing.T) {
	f := newFleet(t)
	f.serve("m", func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		says(fmt.Sprint(n))(w, r)
	})
	n := f.start(proxy.Config{})
	ask := func(size int) (int, string) {
		resp, err := n.request(t.Context(), `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,`+strings.Repeat("A", size)+`"}}]}]}`)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b)
	}
	if code, body := ask(3 << 20); code != 200 || !strings.Contains(body, `"content":"31458`) {
		t.Errorf("a picture of 3 MiB: %d %s", code, body)
	}
	if code, body := ask(proxy.DefaultMaxBody); code != 413 || !strings.Contains(body, `"code":"request_too_large"`) {
		t.Errorf("a body over the limit: %d %s", code, body)
	}
}
