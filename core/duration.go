package core

import (
	"encoding/json"
	"fmt"
	"time"
)

// Duration is a length of time that JSON writes as a string with a unit, such as "300ms" or "1m30s".
// "0s" is zero.
type Duration time.Duration

// MarshalJSON writes the duration as a string with a unit.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

// UnmarshalJSON reads a non-negative duration string; numbers are refused, for their unit would be a guess.
func (d *Duration) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf(`a duration is a string with a unit, such as "30s"`)
	}
	v, err := time.ParseDuration(s)
	if err != nil {
		return fmt.Errorf(`%q is not a duration such as "30s"`, s)
	}
	if v < 0 {
		return fmt.Errorf("%q is negative", s)
	}
	*d = Duration(v)
	return nil
}
