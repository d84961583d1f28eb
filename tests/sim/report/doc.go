// Package report shows what came out: tables, gates and plots.
package report
