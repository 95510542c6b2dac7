package main

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// death kills a worker when its delivery reaches a given stage.
type death struct {
	mu    sync.Mutex
	stage string
	who   *running
	done  chan struct{}
}

func newDeath() *death { return &death{} }

func (d *death) set(stage string, who *running) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stage, d.who, d.done = stage, who, make(chan struct{})
}

// at is called by the receiver at each stage of each delivery.
func (d *death) at(stage string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.who == nil || stage != d.stage && (d.stage != "answered" || stage != "taken") {
		return
	}
	who, done := d.who, d.done
	d.who = nil
	if stage != d.stage { // after the response, at a random moment around the bookkeeping
		go func() {
			time.Sleep(time.Duration(rand.IntN(6000)) * time.Microsecond)
			who.kill()
			close(done)
		}()
		return
	}
	who.kill()
	close(done)
}

func (d *death) wait(t *testing.T, who *running) {
	t.Helper()
	select {
	case <-d.done:
	case <-time.After(30 * time.Second):
		t.Logf("nothing arrived in half a minute; killed anyway")
		who.kill()
	}
}
