// Package demo is an OpenAI-compatible upstream for trying Sluice out: it answers every chat with its own name and
// the words that it was sent, at a pace that is set beforehand. It also embeds texts,
// by counting their n-grams.
//
// A Server never changes once made and may serve any number of requests at once. It never fails on purpose.
package demo
