package openai

import (
	"bytes"
	"encoding/json"
)

// failedList reports whether data is a list whose first element reports an error, as some servers wrap it.
func failedList(data []byte) bool {
	if !bytes.HasPrefix(data, []byte("[")) {
		return false
	}
	var list []struct {
		Error any `json:"error"`
	}
	return json.Unmarshal(data, &list) == nil && len(list) > 0 && list[0].Error != nil
}
