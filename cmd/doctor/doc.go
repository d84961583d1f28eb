// Package doctor examines a gateway that runs: each check says what it found and, where something is wrong,
// what to do.
//
// It changes nothing. Clocks are not compared: nothing in Sluice depends on those of two machines agreeing.
package doctor
