package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// requestTimeout bounds one exchange: far above any answer of the mock, so that it only ends a hang.
const requestTimeout = 20 * time.Second

// firstContent is the number of the event that brings the first content: the first event brings the role only.
const firstContent = 2

// Request is a prepared request and what its answer must be.
type Request struct {
	// Wire is the request as it is sent, head and body.
	Wire []byte
	// Events is how many server-sent events must come back; 0 expects an answer that is not a stream.
	Events int
}

// Answer is what came back for one request.
type Answer struct {
	Bytes, Events int
	// First is when the first event with content, or the head of an answer that is not a stream, had been read.
	First time.Time
}

type client struct {
	conn net.Conn
	in   *bufio.Reader
}

func dial(address string) (*client, error) {
	conn, err := net.DialTimeout("tcp", address, requestTimeout)
	if err != nil {
		return nil, err
	}
	return &client{conn, bufio.NewReaderSize(conn, 16<<10)}, nil
}

func (c *client) close() { _ = c.conn.Close() }

// exchange sends the request and reads the whole answer; anything but the expected answer is an error.
func (c *client) exchange(r Request) (Answer, error) {
	if err := c.conn.SetDeadline(time.Now().Add(requestTimeout)); err != nil {
		return Answer{}, err
	}
	if _, err := c.conn.Write(r.Wire); err != nil {
		return Answer{}, fmt.Errorf("send: %w", err)
	}
	h, err := c.head()
	if err != nil {
		return Answer{}, fmt.Errorf("read head: %w", err)
	}
	a := Answer{First: time.Now()}
	if h.chunked {
		err = c.chunks(&a)
	} else {
		a.Bytes, err = c.in.Discard(h.length)
	}
	switch {
	case err != nil:
		return a, fmt.Errorf("read body: %w", err)
	case h.status != 200:
		return a, fmt.Errorf("status %d", h.status)
	case a.Events != r.Events:
		return a, fmt.Errorf("got %d events, want %d", a.Events, r.Events)
	case a.Bytes == 0:
		return a, errors.New("empty answer")
	}
	return a, nil
}

type head struct {
	status, length int
	chunked        bool
}

func (c *client) head() (h head, err error) {
	line, err := c.line()
	if err != nil {
		return h, err
	}
	if len(line) < 12 {
		return h, fmt.Errorf("status line %q", line)
	}
	if h.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return h, err
	}
	for {
		if line, err = c.line(); err != nil || len(line) == 0 {
			return h, err
		}
		name, value, _ := strings.Cut(string(line), ":")
		switch {
		case strings.EqualFold(name, "Content-Length"):
			if h.length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return h, err
			}
		case strings.EqualFold(name, "Transfer-Encoding"):
			h.chunked = true
		}
	}
}

// line returns the next line without its end; it is valid until the next read.
func (c *client) line() ([]byte, error) {
	line, err := c.in.ReadSlice('\n')
	return bytes.TrimRight(line, "\r\n"), err
}

// chunks reads a chunked body and counts the blank lines in it, each of which ends an event.
func (c *client) chunks(a *Answer) error {
	var tail byte
	for {
		line, err := c.line()
		if err != nil {
			return err
		}
		size, err := strconv.ParseInt(string(line), 16, 32)
		if err != nil {
			return fmt.Errorf("chunk size: %w", err)
		}
		for left := int(size); left > 0; {
			data, err := c.in.Peek(min(left, max(c.in.Buffered(), 1)))
			if err != nil {
				return err
			}
			tail = a.scan(tail, data)
			left -= len(data)
			_, _ = c.in.Discard(len(data)) // cannot fail: the bytes are buffered
		}
		if _, err := c.line(); err != nil {
			return err
		}
		if size == 0 {
			return nil
		}
	}
}

// scan counts the events that end in data, which follows a byte tail, and returns data's last byte.
func (a *Answer) scan(tail byte, data []byte) byte {
	before := a.Events
	if tail == '\n' && data[0] == '\n' {
		a.Events++
	}
	a.Events += bytes.Count(data, []byte("\n\n"))
	if before < firstContent && a.Events >= firstContent {
		a.First = time.Now()
	}
	a.Bytes += len(data)
	return data[len(data)-1]
}
