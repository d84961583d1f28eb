// Package pages looks at what Sluice shows to people through a real browser. Its tests need Chromium and so
// run with the end-to-end suite (build tag e2e).
package pages
