//go:build race

package docs

// raced is how this test was built, and so of what the build cache is full.
const raced = true
