// Package ratelimit reads what upstreams say of their rate limits in the headers of their answers: OpenAI's and those of
// its kin, Anthropic's. Its functions keep nothing and may be called concurrently.
package ratelimit
