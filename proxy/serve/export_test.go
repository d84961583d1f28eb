package serve

import "net/http"

// Left reports whether the stream that is relayed to w has left its handler.
func Left(w http.ResponseWriter) bool {
	o, ok := w.(*outlet)
	if !ok {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	_, left := o.w.(*wire)
	return left
}

// Open is how many connections have left their handlers.
func (s *Streams) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lines)
}
