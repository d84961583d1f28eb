// Package docs holds no code of its own: its tests run what the pages of docs/ and the README tell people to paste, in a
// real shell against a real gateway, and hold the pages' tables of fields against the schemas.
//
// A page's blocks run in their order in one shell. Of a `sh` block every command must succeed; a `text` block below it is what
// it prints. Of a `console` block, where "$ " begins a command and "> " goes on with it, what the page shows below the command must be
// printed too: "…" stands for any text, and on a line of its own for any lines.
package docs
