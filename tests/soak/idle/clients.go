package idle

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"
)

const (
	// openers is how many streams are opened at one time.
	openers = 32
	// openLimit bounds the wait of one stream for its first token.
	openLimit = 30 * time.Second
)

// Clients are callers with an open stream each.
type Clients struct{ conns []net.Conn }

// Open opens n streams at the node whose API is at that address (host:port) and reads the first token of each.
func Open(ctx context.Context, address, key string, n int) (*Clients, error) {
	body := `{"model":"idle","stream":true,"messages":[{"role":"user","content":"` + strings.Repeat("say nothing ", 80) + `"}]}`
	wire := fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"User-Agent: OpenAI/Python 1.0\r\nAccept: application/json\r\nContent-Length: %d\r\n\r\n%s", address, key, len(body), body)
	c := &Clients{conns: make([]net.Conn, n)}
	var opening sync.WaitGroup
	failed := make(chan error, openers) // one an opener
	for first := range openers {
		opening.Go(func() {
			for i := first; i < n; i += openers {
				var err error
				if c.conns[i], err = open(ctx, address, wire); err != nil {
					failed <- fmt.Errorf("open stream %d of %d: %w", i, n, err)
					return
				}
			}
		})
	}
	opening.Wait()
	select {
	case err := <-failed:
		c.Leave()
		return nil, err
	default:
		return c, nil
	}
}

// open sends one request and returns its connection once the first token has come.
func open(ctx context.Context, address, wire string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(openLimit)); err != nil {
		return conn, err
	}
	if _, err := conn.Write([]byte(wire)); err != nil {
		return conn, err
	}
	var got []byte
	for room := make([]byte, 4<<10); !strings.Contains(string(got), `"wait"`); {
		n, err := conn.Read(room)
		got = append(got, room[:n]...)
		if err != nil {
			return conn, fmt.Errorf("after %q: %w", got, err)
		}
	}
	return conn, conn.SetDeadline(time.Time{})
}

// Leave closes every connection.
func (c *Clients) Leave() {
	for _, conn := range c.conns {
		if conn != nil {
			conn.Close()
		}
	}
}
