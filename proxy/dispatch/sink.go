package dispatch

import "net/http"

// sink writes to the client. A client that stopped reading is the listener's affair: it fails the write.
type sink struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func newSink(w http.ResponseWriter) sink { return sink{w: w, control: http.NewResponseController(w)} }

// flush writes b and pushes it to the client.
func (s sink) flush(b []byte) error {
	if len(b) > 0 {
		if _, err := s.w.Write(b); err != nil {
			return err
		}
	}
	return s.control.Flush()
}
