package main

import (
	"runtime"
	"sync"
)

// parallel runs the jobs on all processors, the first ones first.
func parallel(jobs []func()) {
	queue := make(chan func())
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for job := range queue {
				job()
			}
		})
	}
	for _, job := range jobs {
		queue <- job
	}
	close(queue)
	workers.Wait()
}
