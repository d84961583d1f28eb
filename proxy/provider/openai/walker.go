package openai

// walker gathers what matters of a chunk or of a whole answer.
type walker struct {
	Chunk
	s       scanner
	choices bool // there is at least one choice
	content bool // one of them says something
	failed  bool // the upstream reports an error
}

// object walks the chunk or answer itself.
func (w *walker) object() {
	for more := w.s.enter('{'); more; more = w.s.next('}') {
		switch string(w.s.key()) {
		case "choices":
			w.choiceList()
		case "error":
			w.note(&w.failed)
		case "usage":
			w.usage()
		case "object":
			if string(w.s.skip()) == `"error"` {
				w.failed = true
			}
		default:
			w.s.skip()
		}
	}
}

// note consumes a value and sets flag if it says anything.
func (w *walker) note(flag *bool) {
	if w.s.said() {
		*flag = true
	}
}

func (w *walker) choiceList() {
	if w.s.peek() != '[' {
		w.s.skip()
		return
	}
	for more := w.s.enter('['); more; more = w.s.next(']') {
		w.choices = true
		w.choice()
	}
}

func (w *walker) choice() {
	if w.s.peek() != '{' {
		w.s.skip()
		return
	}
	for more := w.s.enter('{'); more; more = w.s.next('}') {
		switch string(w.s.key()) {
		case "delta", "message":
			w.delta()
		case "text":
			w.note(&w.content)
		case "finish_reason":
			w.finishReason()
		case "error":
			w.note(&w.failed)
		default:
			w.s.skip()
		}
	}
}

// delta looks for the members that carry something of the answer, vendors' own included.
func (w *walker) delta() {
	if w.s.peek() != '{' {
		w.s.skip()
		return
	}
	for more := w.s.enter('{'); more; more = w.s.next('}') {
		switch string(w.s.key()) {
		case "content", "reasoning_content", "reasoning", "reasoning_details", "refusal",
			"tool_calls", "function_call", "audio", "images":
			w.note(&w.content)
		default:
			w.s.skip()
		}
	}
}

// finishReason tells an end from an end by error; some servers send "" for none.
func (w *walker) finishReason() {
	if w.s.peek() != '"' {
		w.s.skip()
		return
	}
	switch string(w.s.text()) {
	case "":
	case "error":
		w.failed = true
	default:
		w.Finished = true
	}
}
