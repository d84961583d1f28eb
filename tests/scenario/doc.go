// Package scenario holds what users do with a whole gateway. Each body runs against the Environment
// interface: in one process over an embedded etcd (`make test`), and against the compose stack
// (`make e2e`, build tag e2e). The scenarios of one environment run one after the other.
package scenario
