package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// decode reads a JSON object and keeps the spelling of its numbers.
func decode(raw []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var o map[string]any
	if err := d.Decode(&o); err != nil {
		return nil, fmt.Errorf("decode object: %w", err)
	}
	if o == nil {
		return nil, errors.New("decode object: it is null")
	}
	return o, nil
}

// encode writes o compactly, names sorted, so that equal resources have equal bytes.
func encode(o map[string]any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(o); err != nil {
		panic("catalog: what was decoded does not encode: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
