// Package upstream is an OpenAI-compatible server that a test steers: how fast it answers, how it fails,
// whether it is there at all. It remembers what it was asked. It embeds as the demo upstreams do, and answers messages of
// the Anthropic API too.
//
// A Server may be used from any number of goroutines.
package upstream
