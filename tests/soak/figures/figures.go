// Package figures says how much a process holds. Its functions may be called at any time; Settle is heavy.
package figures

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
)

// Figures is what a process holds at one moment; sizes are in bytes.
type Figures struct {
	Goroutines int
	// Heap is what lives on the heap, Stacks what goroutines stand on, Resident what the system counts.
	Heap, Stacks, Resident uint64
}

// Take returns the figures as they are.
func Take() Figures {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return Figures{Goroutines: runtime.NumGoroutine(), Heap: m.HeapAlloc, Stacks: m.StackInuse, Resident: resident()}
}

// Settle collects garbage, gives unused memory back to the system and then takes the figures.
func Settle() Figures {
	runtime.GC() // what pools hold survives one collection
	debug.FreeOSMemory()
	return Take()
}

// resident returns VmRSS; 0 where there is no /proc.
func resident() uint64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	var kib uint64
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		return 0
	}
	return kib << 10
}

// Profile writes the process's heap profile and the stacks of its goroutines into dir.
func Profile(dir string) error {
	for _, kind := range []struct {
		profile, file string
		debug         int
	}{{"heap", "heap.pprof", 0}, {"goroutine", "goroutines.txt", 1}} {
		f, err := os.Create(filepath.Join(dir, kind.file))
		if err != nil {
			return err
		}
		if err := pprof.Lookup(kind.profile).WriteTo(f, kind.debug); err != nil {
			f.Close()
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}
