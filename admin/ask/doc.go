// Package ask asks live proxy nodes what only they know: what they have decided about a request, or would decide.
//
// A node says under its lease where it can be reached, and shows the token by which it knows the control plane. A Nodes
// is safe for concurrent use and remembers neither.
package ask
