package apierror

import "strconv"

// appendResponsesEvent appends e as the "error" event of the Responses API, which is flat.
func appendResponsesEvent(dst []byte, e Error, sequence int) []byte {
	dst = append(dst, "event: error\ndata: {\"type\":\"error\",\"code\":"...)
	if e.Code == "" {
		e.Code = e.Type
	}
	dst = appendString(dst, e.Code)
	dst = append(dst, `,"message":`...)
	dst = appendString(dst, e.Message)
	dst = append(dst, `,"param":`...)
	dst = appendOptional(dst, e.Param)
	dst = append(dst, `,"sequence_number":`...)
	dst = strconv.AppendInt(dst, int64(sequence), 10)
	return append(dst, "}\n\n"...)
}
