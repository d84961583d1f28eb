// Package contract runs test bodies of other modules against servers in containers (build tag e2e).
package contract
