package upstream

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Server is the upstream. Start makes one.
type Server struct {
	address string // host:port, the same through Die and Revive

	mu        sync.Mutex
	http      *http.Server // nil: dead
	served    chan struct{}
	behaviour Behaviour
	requests  []Request
}

// Start listens on host, on a port that is free, and serves.
func Start(host string, b Behaviour) (*Server, error) {
	s := &Server{address: net.JoinHostPort(host, "0"), behaviour: b}
	if err := s.Revive(); err != nil {
		return nil, err
	}
	return s, nil
}

// Port returns the port that the server listens on, dead or alive.
func (s *Server) Port() string {
	_, port, err := net.SplitHostPort(s.address)
	if err != nil {
		panic("upstream: " + err.Error())
	}
	return port
}

// Behave changes the treatment of the requests that arrive from now on.
func (s *Server) Behave(b Behaviour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behaviour = b
}

// Requests returns what the server was asked so far, in order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// note remembers the request and returns the treatment that it gets.
func (s *Server) note(r Request) Behaviour {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	return s.behaviour
}

// Die severs every connection and refuses new ones, as a process that crashed. It does nothing to a dead server.
func (s *Server) Die() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.http == nil {
		return
	}
	s.http.Close()
	<-s.served
	s.http = nil
}

// Revive listens again on the same port. It does nothing to a living server.
func (s *Server) Revive() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.http != nil {
		return nil
	}
	listener, err := net.Listen("tcp", s.address)
	if err != nil {
		return fmt.Errorf("start upstream: %w", err)
	}
	s.address = listener.Addr().String()
	server := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener) // ends with ErrServerClosed in Die
	}()
	s.http, s.served = server, served
	return nil
}
