package store

import "time"

// Hurry makes the watches of s find in fractions of a second what takes seconds otherwise.
func Hurry(s *Store) {
	s.timings = timings{
		create: 500 * time.Millisecond, ask: 50 * time.Millisecond, silent: 400 * time.Millisecond, audit: time.Hour, keys: 20 * time.Millisecond,
		retry: time.Millisecond, retryMax: 10 * time.Millisecond, refusedMax: 10 * time.Millisecond,
	}
}

// Audit sets how often the watches of s audit what they followed.
func Audit(s *Store, every time.Duration) { s.timings.audit = every }
