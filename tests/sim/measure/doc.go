// Package measure keeps what happened in a simulation and computes from it what the gates are about.
package measure
