// Package inspect answers the control plane's questions about decisions: what was decided about a request, and what
// would be decided about one.
//
// It is reached on the status listener, which has no other secret to keep, and so asks for a token of its own. A Handler
// is safe for concurrent use.
package inspect
