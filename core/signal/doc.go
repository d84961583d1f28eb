// Package signal holds what a node measures of its upstreams, what its peers say of theirs, and the exact
// merge of both: exponentially decayed sums of latencies and failures, requests in flight and cooldowns, the rate limits
// that upstreams tell of, and, of targets for which somebody asks, percentiles of latency and throughput.
//
// A Board is safe for concurrent use. It does no I/O and reads no clock: every call that depends on time takes
// the moment as an argument, which should carry a monotonic reading. What the request path calls (Begin, Done,
// Claim, Release, Succeed, Fail, Produced, Limited, Cool, Warm, Cooling, Estimate, Spread, Throughput, Quota)
// takes atomics and at most one short mutex of the one key, and allocates only when a key is seen, or measured in
// detail, for the first time. Peers are folded into an immutable table behind an atomic pointer. A Peer never
// changes once Decode returned it.
package signal
