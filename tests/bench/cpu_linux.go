package main

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// processCPU returns the processor time that all threads of a process have had. It reads the process's own
// CPU clock, which counts nanoseconds; /proc/<pid>/stat counts hundredths of a second.
// See clock_getcpuclockid(3): the clock of a process is its inverted id, shifted by three, and type 2.
func processCPU(pid int) (time.Duration, error) {
	const scheduled = 2
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid)<<3|scheduled, &t); err != nil {
		return 0, fmt.Errorf("CPU clock of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}
