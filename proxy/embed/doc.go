// Package embed turns texts into vectors: everything between the prompt of a request and the scores of a semantic
// routing's targets.
//
// An Endpoint says where and how texts are embedded. An Embedder embeds prompts, one call for each that it does not
// know: the vectors of recent prompts are kept within a number of bytes, by a hash, so that no prompt is; callers
// with the same prompt share one call; a prompt that the endpoint refuses is not sent again for a while; and once an
// endpoint has failed some times in a row it is left alone, and no request waits for it until a call that no request
// waits for has succeeded. Nothing of a caller's request but the text goes to the endpoint: no function here takes a
// header.
//
// Examples embeds the example texts of the configuration in the background. A Collection is those of one routing,
// and has its vectors all at once or none; Collections are those of a snapshot, and a Prompt is compared with any of
// them for one call. What is embedded once is not embedded again, whatever else changes in the
// configuration; with a Store not by another node or after a restart either.
//
// Every failure is an *Error with a Cause. It never holds a body, a prompt or a credential.
//
// Everything here may be used from any number of goroutines. Close an Embedder after the last request; Examples has
// one Run.
package embed
