package openai

import "strconv"

// Usage counts the tokens of an answer. What the upstream does not tell is zero; Total is then the sum.
type Usage struct {
	Prompt, Completion, Total int64
	// Cached is the part of Prompt that came from the upstream's cache; Reasoning is the part of Completion
	// that the caller does not see.
	Cached, Reasoning int64
}

func (w *walker) usage() {
	if w.s.peek() != '{' {
		w.s.skip()
		return
	}
	var u Usage
	for more := w.s.enter('{'); more; more = w.s.next('}') {
		switch string(w.s.key()) {
		case "prompt_tokens":
			u.Prompt = w.s.count()
		case "completion_tokens":
			u.Completion = w.s.count()
		case "total_tokens":
			u.Total = w.s.count()
		case "prompt_tokens_details":
			u.Cached = w.s.countIn("cached_tokens")
		case "completion_tokens_details":
			u.Reasoning = w.s.countIn("reasoning_tokens")
		default:
			w.s.skip()
		}
	}
	if u.Total == 0 {
		u.Total = u.Prompt + u.Completion
	}
	w.Usage, w.HasUsage = u, true
}

// countIn consumes an object and returns the count that its member of that name holds.
func (s *scanner) countIn(name string) int64 {
	if s.peek() != '{' {
		s.skip()
		return 0
	}
	var n int64
	for more := s.enter('{'); more; more = s.next('}') {
		if string(s.key()) == name {
			n = s.count()
		} else {
			s.skip()
		}
	}
	return n
}

// maxCount is the largest count that every JSON reader takes exactly.
const maxCount = 1 << 53

// count consumes a value and returns it if it is a number of tokens, else zero.
func (s *scanner) count() int64 {
	f, err := strconv.ParseFloat(string(s.skip()), 64)
	if err != nil || !(f >= 0 && f <= maxCount) {
		return 0
	}
	return int64(f)
}
