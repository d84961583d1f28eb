package mock

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// Config says what the upstream answers.
type Config struct {
	// AnswerBytes is the length of the body of an answer that is not a stream.
	AnswerBytes int
	// Gap is the pause before each event of a stream after its first.
	Gap time.Duration
}

// Upstream answers chat completions and the Anthropic API's messages with prepared bytes.
type Upstream struct {
	chat, messages voice
	gap            time.Duration
}

// New prepares an upstream.
func New(cfg Config) *Upstream {
	return &Upstream{chat: chat(cfg.AnswerBytes), messages: messages(cfg.AnswerBytes), gap: cfg.Gap}
}

// Serve answers every connection of l until l is closed, which is not an error. Open connections end
// when their clients close them.
func (u *Upstream) Serve(l net.Listener) error {
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("accept: %w", err)
		}
		go u.connection(conn)
	}
}

// connection answers until the client leaves or breaks the protocol; either way nobody is left to be told.
func (u *Upstream) connection(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReaderSize(conn, 8<<10)
	body := make([]byte, 0, 4<<10)
	for {
		var err error
		v := &u.chat
		native := false
		if body, native, err = readRequest(in, body[:0]); err != nil {
			return
		}
		if native {
			v = &u.messages
		}
		if events := streamLength(body); events > 0 {
			err = u.stream(conn, v, events)
		} else {
			_, err = conn.Write(v.answer)
		}
		if err != nil {
			return
		}
	}
}

func (u *Upstream) stream(conn net.Conn, v *voice, events int) error {
	if _, err := conn.Write(v.head); err != nil {
		return err
	}
	for range events {
		time.Sleep(u.gap)
		if _, err := conn.Write(v.content); err != nil {
			return err
		}
	}
	_, err := conn.Write(v.tail)
	return err
}

// readRequest appends one request's body to dst. The head is read for its Content-Length, and for whether it is asked as
// the Anthropic API is.
func readRequest(in *bufio.Reader, dst []byte) (body []byte, native bool, err error) {
	length := -1
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return dst, native, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		native = native || first && isNative(line)
		name, value, found := strings.Cut(string(line), ":")
		if found && strings.EqualFold(name, "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return dst, native, fmt.Errorf("content-length: %w", err)
			}
		}
	}
	if length < 0 {
		return dst, native, errors.New("a request needs a Content-Length")
	}
	start := len(dst)
	if cap(dst) < start+length {
		dst = append(make([]byte, 0, start+length), dst...)
	}
	dst = dst[:start+length]
	_, err = io.ReadFull(in, dst[start:])
	return dst, native, err
}

// streamLength returns how many content events the request asks for: the value of max_tokens when it
// wants a stream, and 0 when it wants none.
func streamLength(body []byte) int {
	if !bytes.Contains(body, []byte(`"stream":true`)) {
		return 0
	}
	_, rest, _ := bytes.Cut(body, []byte(`"max_tokens":`))
	n := 0
	for _, c := range rest {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + int(c-'0')
	}
	return max(n, 1)
}
