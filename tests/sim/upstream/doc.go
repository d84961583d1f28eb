// Package upstream is the simulated servers: elastic ones that serve any number of requests at their own pace,
// and ones of limited capacity that queue. Their speed, capacity and faults change at set times.
package upstream
