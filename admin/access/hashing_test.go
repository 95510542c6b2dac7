package access

import (
	"context"
	"errors"
	"net/netip"
	"testing"
)

// enqueue adds a waiter; its turn channel shows how the waiting ended.
func enqueue(t *testing.T, h *hashing, at priority) *waiter {
	t.Helper()
	own, err := h.enqueue(at)
	if err != nil {
		t.Fatal(err)
	}
	return own
}

func TestARightPasswordOvertakesWrongOnesFromOthers(t *testing.T) {
	t.Parallel()
	h := &hashing{}
	bad, good := netip.MustParsePrefix("203.0.113.1/32"), netip.MustParsePrefix("203.0.113.2/32")
	for n := range maxHashes {
		if own := enqueue(t, h, priority{bad, n + 1}); own != nil {
			t.Fatal("there should be a free slot")
		}
	}
	refused := 0
	for n := range 200 {
		if _, err := h.enqueue(priority{bad, maxHashes + n + 1}); errors.Is(err, errQueueFull) {
			refused++
		}
	}
	if refused != 200-maxQueueOfNetwork {
		t.Errorf("%d of 200 were refused", refused)
	}
	own := enqueue(t, h, priority{good, 1})
	h.free()
	if len(own.turn) != 1 || !<-own.turn {
		t.Error("the first free slot went to the flood")
	}
}

func TestAFullQueueDisplacesTheLastWaiter(t *testing.T) {
	t.Parallel()
	h := &hashing{busy: maxHashes}
	for n := range maxQueue {
		enqueue(t, h, priority{netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, byte(n)}), 32), 1})
	}
	last := h.queue[maxQueue-1]
	if _, err := h.enqueue(priority{rank: 1}); !errors.Is(err, errQueueFull) {
		t.Errorf("an equal priority was admitted: %v", err)
	}
	enqueue(t, h, priority{rank: 0})
	if len(last.turn) != 1 || <-last.turn || len(h.queue) != maxQueue {
		t.Error("the last waiter was not displaced")
	}
}

func TestCancelledWaitersLeaveTheQueue(t *testing.T) {
	t.Parallel()
	h := &hashing{busy: maxHashes}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.acquire(ctx, priority{}); !errors.Is(err, context.Canceled) || len(h.queue) != 0 {
		t.Errorf("%v, %d wait", err, len(h.queue))
	}
	own := enqueue(t, h, priority{})
	h.free()
	h.abandon(own) // the slot had been assigned already
	if h.free(); h.busy != 0 {
		t.Errorf("%d slots are lost", h.busy)
	}
}
