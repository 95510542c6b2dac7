package count

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
)

// The table of visitors is bounded, and never confuses two visitors.
func TestVisitorTableIsBounded(t *testing.T) {
	var s visitorTable
	var held atomic.Int64
	r := rand.New(rand.NewPCG(5, 6))
	for range 1 << 18 {
		key := r.Uint64()
		if _, known := s.find(key); known {
			t.Fatal("a new visitor is known")
		}
		s.put(key, key&2 == 0, &held)
		if isRobot, known := s.find(key); !known || isRobot != (key&2 == 0) {
			t.Fatal("a visitor just added is forgotten")
		}
	}
	if n := held.Load(); n != maxVisitorRows {
		t.Errorf("%d rows", n)
	}
	s.free(&held)
	if held.Load() != 0 {
		t.Error("rows are not released")
	}
}
