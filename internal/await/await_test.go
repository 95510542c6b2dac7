package await

import (
	"testing"
	"testing/synctest"
	"time"
)

// stopped is a test that keeps the failure instead of ending.
type stopped struct {
	testing.TB
	failed bool
}

func (s *stopped) Helper()               {}
func (s *stopped) Fatalf(string, ...any) { s.failed = true }

func TestWaitsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		if Until(func() bool { return false }) || time.Since(begun) < Limit {
			t.Errorf("ended after %v", time.Since(begun))
		}
		if !Within(time.Second, func() bool { return time.Since(begun) > Limit }) {
			t.Error("what happened was not noticed")
		}
		of := &stopped{TB: t}
		if Next(of, make(chan int)); !of.failed {
			t.Error("nothing came, and the test goes on")
		}
		from := make(chan int, 1)
		from <- 7
		if got := Next(t, from); got != 7 {
			t.Errorf("received %d", got)
		}
		<-Context(t).Done()
	})
}
