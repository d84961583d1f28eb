// Package azure reaches resources of Azure OpenAI whose versions are dated. What they answer reads as OpenAI's own answers
// do.
//
// Everything here is without state and may be used from any number of goroutines.
package azure
