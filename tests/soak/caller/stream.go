package caller

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sluice-gateway/sluice/tests/soak/ledger"
	"github.com/sluice-gateway/sluice/tests/soak/truth"
)

// stream reads a stream: events that follow each other as they must, then the end or one error event, then
// nothing.
func (a *answer) stream(body io.Reader) {
	events := &events{in: bufio.NewReader(body)}
	s := &truth.Stream{ID: a.q.ID, Usage: a.q.Usage}
	defer func() { a.out.Answer, a.out.Words = s.Answer, s.Words }()
	for n := 1; ; n++ {
		data, err := events.next()
		if err != nil {
			a.ended(s, err)
			return
		}
		if bytes.HasPrefix(data, []byte(`{"error":`)) {
			a.failed(s, data, events)
			return
		}
		if err := s.Event(data); err != nil {
			a.wrong("event %d: %v", n, err)
			return
		}
		if n == a.manners.events && !s.Done {
			a.leave()
			a.out.Left = true
			return
		}
		if a.manners.slow {
			time.Sleep(time.Duration(a.rng.Int64N(int64(dawdle))))
		}
	}
}

// ended takes the end of the body.
func (a *answer) ended(s *truth.Stream, err error) {
	switch {
	case s.Done && errors.Is(err, io.EOF):
		a.out.Result = ledger.Whole
	case errors.Is(err, io.EOF) && !a.left.Load():
		a.wrong("stream ends after %d of %d words without [DONE] and without an error", s.Words, s.Answer.Words)
	default:
		a.broken(fmt.Errorf("after %d of %d words: %w", s.Words, s.Answer.Words, err))
	}
}

// failed takes the error event that ends a stream.
func (a *answer) failed(s *truth.Stream, data []byte, events *events) {
	a.failure(data)
	switch more, err := events.next(); {
	case s.Done:
		a.wrong("error event after the end: %.300q", data)
	case err == nil:
		a.wrong("event %.300q after the error event", more)
	case !errors.Is(err, io.EOF):
		a.broken(fmt.Errorf("after the error event: %w", err))
	case s.Words == 0:
		a.wrong("error event before any content: %.300q", data)
	default:
		a.out.Result = ledger.Cut
	}
}

// events takes a body of server-sent events apart, as strictly as the gateway writes it.
type events struct {
	in   *bufio.Reader
	data []byte
}

// next returns the data of the next event, its lines joined; valid until the next call.
func (e *events) next() ([]byte, error) {
	e.data = e.data[:0]
	for {
		line, err := e.line()
		if err != nil {
			if errors.Is(err, io.EOF) && len(e.data)+len(line) > 0 {
				return nil, fmt.Errorf("body ends inside an event: %.200q", append(e.data, line...))
			}
			return nil, err
		}
		value, isData := bytes.CutPrefix(line, []byte("data: "))
		switch {
		case isData:
			e.data = append(e.data, value...)
		case len(line) == 0 && len(e.data) > 0:
			return e.data, nil
		case bytes.HasPrefix(line, []byte("event: message")):
		default:
			return nil, fmt.Errorf("line %.200q", line)
		}
	}
}

// line returns the next line without its end, and what there is of one at the end of the body.
func (e *events) line() ([]byte, error) {
	line, err := e.in.ReadBytes('\n')
	return bytes.TrimSuffix(line, []byte("\n")), err
}
