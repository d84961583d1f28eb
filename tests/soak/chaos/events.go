package chaos

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"

	"github.com/sluice-gateway/sluice/tests/soak/fault"
)

// events says a stream, as far as the kind lets it come.
func (s *scene) events() {
	if s.kind == fault.Interim {
		s.w.WriteHeader(http.StatusEarlyHints)
	}
	script := s.script()
	switch s.kind {
	case fault.Gzip:
		s.zipped(script)
		return
	case fault.NoDone:
		script = script[:len(script)-1]
	case fault.CutEarly, fault.ErrorFirst, fault.ErrorLimit:
		script = script[:s.rng.IntN(2)] // nothing, or the role
	case fault.CutContent, fault.CutEvent, fault.ErrorContent, fault.StallContent, fault.ResetContent, fault.GarbageContent:
		script = script[:2+s.rng.IntN(s.answer.Words)] // the role and one word at least
	}
	if s.kind == fault.ResetContent || s.kind == fault.GarbageContent {
		s.breakOff(script)
		return
	}
	s.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	for i, data := range script {
		if !s.say(s.frame(i, data)) || i > 0 && s.rng.IntN(3) > 0 && !s.flush() {
			return
		}
		if s.kind == fault.Slow && i > 0 && !s.pause(s.some(slowest)) {
			return
		}
	}
	s.tail()
}

// frame is one event on the wire.
func (s *scene) frame(i int, data []byte) string {
	plain := fmt.Sprintf("data: %s\n\n", data)
	switch {
	case s.kind == fault.Noisy && i == 2:
		return fmt.Sprintf("data: %s\n\n%s", s.answer.Noise(), plain)
	case s.kind != fault.Odd:
		return plain
	}
	switch i % 5 {
	case 0:
		return fmt.Sprintf(": ping\n\ndata:%s\r\n\r\n", data)
	case 1: // what JSON allows between two members
		return fmt.Sprintf("id: 7\nretry: 10\ndata: %s\n\n", bytes.Replace(data, []byte(`,"`), []byte(",\ndata: \""), 1))
	case 2:
		return fmt.Sprintf("event: message\rdata: %s\r\r", data)
	case 3:
		return fmt.Sprintf("\n\n: keep-alive\nevent: message\n\n%s", plain)
	}
	return plain
}

// tail does what a kind does after what it says of the answer.
func (s *scene) tail() {
	switch s.kind {
	case fault.StallContent:
		if s.flush() {
			s.stall()
		}
	case fault.CutEvent:
		s.say(`data: {"id":"chatcmpl-`)
	case fault.ErrorFirst, fault.ErrorContent:
		s.say("data: " + s.failure("server_error") + "\n\n")
	case fault.ErrorLimit:
		s.say("data: " + s.failure("rate_limit_error") + "\n\n")
	}
}

// breakOff says the begin of a stream and breaks the connection.
func (s *scene) breakOff(script [][]byte) {
	s.rawHead()
	for i, data := range script {
		if !s.chunk(s.frame(i, data)) {
			break
		}
	}
	if s.kind == fault.GarbageContent {
		s.say("no chunk size\r\n")
		s.raw.Close()
		return
	}
	s.reset()
}

// zipped says the stream compressed, pushing out each event.
func (s *scene) zipped(script [][]byte) {
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(s.w)
	for i, data := range script {
		if _, err := z.Write([]byte(s.frame(i, data))); err != nil || z.Flush() != nil {
			s.gone = true
			return
		}
		if !s.flush() {
			return
		}
	}
	z.Close()
}
