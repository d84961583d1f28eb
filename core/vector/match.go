package vector

// Tolerance is what a score may lack of a threshold and still clear it: more than rounding to float32 takes away, and
// far less than anyone means. A cosine of 0.7 is often 0.69999998.
const Tolerance = 1e-6

// Match is how well a target matches.
type Match struct {
	// Score is the greatest cosine among the target's examples, in [-1, 1].
	Score float64
	// Example is which of them it is, the first among equals; -1: the target has no examples, and matches nothing.
	Example int
}

// none is the match of a target without examples.
var none = Match{Score: -1, Example: -1}

// Found reports whether there was anything to compare with.
func (m Match) Found() bool { return m.Example >= 0 }

// Clears reports whether the score reaches the threshold.
func (m Match) Clears(threshold float64) bool { return m.Found() && m.Score >= threshold-Tolerance }

func (m *Match) take(score float64, example int) {
	if !m.Found() || score > m.Score {
		*m = Match{score, example}
	}
}
