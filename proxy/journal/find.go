package journal

import (
	"encoding/json"
	"fmt"
)

// Find returns the decision of the latest request of that id as the JSON of a decision.Decision; nil when it is not
// among those that are remembered.
func (j *Journal) Find(id string) ([]byte, error) {
	j.mu.Lock()
	at, known := j.byID[id]
	j.mu.Unlock()
	if !known {
		return nil, nil
	}
	s := &j.slots[at]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told.RequestID != id {
		return nil, nil // another has taken the place meanwhile, or not yet
	}
	// Encoded here, since the next decision in this place takes the memory of this one.
	raw, err := json.Marshal(&s.told)
	if err != nil {
		return nil, fmt.Errorf("encode decision: %w", err)
	}
	return raw, nil
}
