package rank

// Meaning is how like the prompt is to the examples of a semantic group's members.
type Meaning struct {
	// Scores has the cosine, from -1 to 1, of each member's best example, by index of the group's Members. NaN: the member
	// has no example, or none that can be compared. Nil unless State is MeaningScored.
	Scores []float64
	// State says whether there are scores. Zero: the prompt was not compared.
	State MeaningState
}

// MeaningState says whether a prompt was compared with examples, and why it was not.
type MeaningState string

// The states of a Meaning. In all but the first the group's fallback serves.
const (
	MeaningScored MeaningState = "scored"
	// MeaningNoText: the request has no text to compare.
	MeaningNoText MeaningState = "no_text"
	// MeaningNotReady: the examples have no vectors yet.
	MeaningNotReady MeaningState = "not_ready"
	// MeaningFailed: the prompt has no vector, since its embedding failed.
	MeaningFailed MeaningState = "failed"
)
