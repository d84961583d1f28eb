// Command plain is the yardstick of the benchmark: the standard library's reverse proxy, tuned as far
// as its settings go, and nothing else in the process.
//
// It prints the addresses of its listeners as one JSON line and serves until its standard input ends.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"runtime"
	"sync"
	"time"
)

func main() {
	upstream := flag.String("upstream", "", "base URL that requests are forwarded to")
	flag.Parse()
	if err := run(*upstream); err != nil {
		log.Fatal("plain: ", err)
	}
}

func run(upstream string) error {
	target, err := url.Parse(upstream)
	if err != nil {
		return fmt.Errorf("parse upstream: %w", err)
	}
	api, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	status, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	failed := make(chan error, 2)
	go func() { failed <- http.Serve(api, fullDuplex(newProxy(target))) }()
	go func() { failed <- http.Serve(status, http.HandlerFunc(metrics)) }()
	go func() {
		_, err := io.Copy(io.Discard, os.Stdin)
		failed <- err
	}()
	addresses := map[string]string{"api": "http://" + api.Addr().String(), "status": "http://" + status.Addr().String()}
	if err := json.NewEncoder(os.Stdout).Encode(addresses); err != nil {
		return err
	}
	return <-failed
}

// newProxy returns the reverse proxy: idle connections enough for any load of the benchmark, one pool
// of copy buffers, and a flush after each write of the upstream.
func newProxy(target *url.URL) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		FlushInterval: -1,
		BufferPool:    new(bufferPool),
		Transport: &http.Transport{
			DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
			MaxIdleConns:        4096,
			MaxIdleConnsPerHost: 4096,
			IdleConnTimeout:     90 * time.Second,
			DisableCompression:  true,
		},
	}
}

// fullDuplex keeps the server from closing a request's body when the answer begins. The transport reads
// once more after the last byte of the body, and loses its connection, and with it the answer, when an upstream
// as quick as the benchmark's has answered by then.
func fullDuplex(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		next.ServeHTTP(w, r)
	})
}

type bufferPool struct{ pool sync.Pool }

func (b *bufferPool) Get() []byte {
	if p, ok := b.pool.Get().(*[]byte); ok {
		return *p
	}
	return make([]byte, 32<<10)
}

func (b *bufferPool) Put(buf []byte) { b.pool.Put(&buf) }

// metrics writes the two counters that the benchmark reads, under the names of Sluice's own /metrics.
func metrics(w http.ResponseWriter, _ *http.Request) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Fprintf(w, "go_memstats_mallocs_total %d\ngo_memstats_alloc_bytes_total %d\n", m.Mallocs, m.TotalAlloc)
}
