// Package decision has the words in which a node explains what it decided about a request, or would decide.
//
// The data plane makes these values, the control plane passes them on and operators read them. None of them holds a
// prompt, a body or a credential. They are plain data: safe for concurrent reading, not for changes.
package decision
