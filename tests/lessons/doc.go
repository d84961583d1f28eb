// Package lessons holds no code of its own: its tests prove that tests/lessons.md names every lesson once,
// and only tests that exist.
package lessons
