package chaos

import (
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/sluice-gateway/sluice/tests/soak/fault"
	"github.com/sluice-gateway/sluice/tests/soak/truth"
)

// broken does the kinds that need the connection itself, or that say nothing of an answer. It reports
// whether that was all.
func (s *scene) broken() bool {
	switch s.kind {
	case fault.ResetUnread, fault.ResetRead:
		s.take()
		s.reset()
	case fault.CloseRead:
		s.take()
		s.raw.Close()
	case fault.StallHead:
		s.stall()
	case fault.StallBody:
		s.w.Header().Set("Content-Type", s.contentType())
		s.w.WriteHeader(http.StatusOK)
		if s.flush() {
			s.stall()
		}
	case fault.Empty:
		s.w.Header().Set("Content-Type", s.contentType())
		s.w.WriteHeader(http.StatusOK)
	case fault.BadCoding:
		s.w.Header().Set("Content-Type", s.contentType())
		s.w.Header().Set("Content-Encoding", "br")
		s.say("\x0b\x02\x80not really brotli\x03")
	case fault.GarbageBody:
		s.w.Header().Set("Content-Type", "text/html")
		s.say("<html>" + s.message() + "</html>")
	case fault.ErrorInside:
		s.w.Header().Set("Content-Type", "application/json")
		s.say(s.failure("server_error"))
	case fault.GarbageHead:
		s.take()
		s.say("\x16\x03\x01 this is no answer\r\n\r\n")
		s.raw.Close()
	case fault.GarbageChunk, fault.ResetHead:
		s.rawHead()
		if s.kind == fault.GarbageChunk {
			s.say("no chunk size\r\n")
			s.raw.Close()
			return true
		}
		s.reset()
	case fault.ResetPart, fault.CutWhole, fault.CutJSON, fault.HangUp:
		s.partly()
	default:
		return false
	}
	return true
}

func (s *scene) failure(kind string) string {
	return fmt.Sprintf(`{"error":{"message":%q,"type":%q,"code":null,"param":null}}`, s.message(), kind)
}

func (s *scene) contentType() string {
	if s.stream {
		return "text/event-stream"
	}
	return "application/json"
}

// take takes the connection from the server.
func (s *scene) take() {
	conn, _, err := http.NewResponseController(s.w).Hijack()
	if err != nil {
		panic("chaos: " + err.Error()) // an HTTP/1.1 server always can
	}
	s.raw = conn
}

// reset ends the connection with a RST.
func (s *scene) reset() {
	if tcp, ok := s.raw.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // it is closed in any case
	}
	s.raw.Close()
}

// rawHead takes the connection and says the head of an answer of unknown length.
func (s *scene) rawHead() {
	s.take()
	s.say("HTTP/1.1 200 OK\r\nContent-Type: " + s.contentType() + "\r\nTransfer-Encoding: chunked\r\n\r\n")
}

// chunk says a piece of an answer after rawHead.
func (s *scene) chunk(text string) bool { return s.say(fmt.Sprintf("%x\r\n%s\r\n", len(text), text)) }

// lastChunk says that the answer is over.
const lastChunk = "0\r\n\r\n"

// partly says an answer over a connection of its own and ends it in the kind's way.
func (s *scene) partly() {
	if s.stream { // HangUp
		s.rawHead()
		s.chunk(s.text())
		s.say(lastChunk)
		s.raw.Close()
		return
	}
	body := string(s.answer.Whole())
	half := body[:len(body)/2]
	if s.kind == fault.CutJSON {
		s.w.Header().Set("Content-Type", "application/json")
		s.say(half)
		return
	}
	s.take()
	s.say(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body)))
	if s.kind == fault.HangUp {
		half = body
	}
	s.say(half)
	if s.kind == fault.ResetPart {
		s.reset()
		return
	}
	s.raw.Close()
}

// text is a whole stream in one piece.
func (s *scene) text() string {
	var b strings.Builder
	for _, data := range s.script() {
		fmt.Fprintf(&b, "data: %s\n\n", data)
	}
	return b.String()
}

// script is the data of every event of a good stream, in order.
func (s *scene) script() [][]byte {
	out := [][]byte{s.answer.Role(s.usage)}
	for i := range s.answer.Words {
		out = append(out, s.answer.Word(i, s.usage))
	}
	out = append(out, s.answer.Finish(s.usage))
	if s.usage {
		out = append(out, s.answer.Usage())
	}
	return append(out, []byte(truth.Done))
}
