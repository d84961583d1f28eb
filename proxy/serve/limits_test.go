package serve_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// gigabyte is a body of 1 GiB that begins as a good one, and counts what is taken of it.
type gigabyte struct {
	taken atomic.Int64
	head  *strings.Reader
}

func (g *gigabyte) Read(b []byte) (int, error) {
	n, err := g.head.Read(b)
	if err == io.EOF {
		n, err = copy(b, strings.Repeat("a", min(len(b), 4<<10))), nil
	}
	if g.taken.Add(int64(n)) > 1<<30 {
		return 0, io.EOF
	}
	return n, err
}

// TestNoMoreThanTheLimitIsRead, whatever the header says of the length.
func TestNoMoreThanTheLimitIsRead(t *testing.T) {
	for _, sized := range []bool{false, true} {
		e := newEdge(t)
		body := &gigabyte{head: strings.NewReader(`{"model":"smart","x":"`)}
		req, err := http.NewRequest("POST", e.URL+"/v1/chat/completions", body)
		if err != nil {
			t.Fatal(err)
		}
		if sized {
			req.ContentLength = 1 << 30
		}
		req.Header.Set(auth, bearer)
		resp, text := e.do(req)
		checkError(t, resp, text, 413, "request_too_large")
		if !resp.Close {
			t.Error("a connection with the rest of a body on it is kept")
		}
		// What the sockets hold is taken too; a gigabyte is not.
		if taken := body.taken.Load(); taken > 64<<20 {
			t.Errorf("length told: %v: %d bytes were taken", sized, taken)
		}
	}
}
