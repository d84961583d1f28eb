// Package calibrate holds the examples and thresholds of a semantic routing against prompts of which it is known where
// they belong.
//
// It works on cosines alone: who embeds the prompts is somebody else's affair, and no text of a prompt is in a result.
// Everything in it is a pure function of its arguments.
package calibrate
