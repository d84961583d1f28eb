package serve

// Open is how many connections have left their handlers.
func (s *Streams) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lines)
}
