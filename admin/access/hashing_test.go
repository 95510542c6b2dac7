package access

import (
	"context"
	"errors"
	"net/netip"
	"testing"
)

// stand lets somebody enter the line and answers a way to see how that ended.
func stand(t *testing.T, h *hashing, at priority) *waiting {
	t.Helper()
	own, err := h.queue(at)
	if err != nil {
		t.Fatal(err)
	}
	return own
}

func TestARightPasswordPassesTheWrongOnesOfOthers(t *testing.T) {
	t.Parallel()
	h := &hashing{}
	bad, good := netip.MustParsePrefix("203.0.113.1/32"), netip.MustParsePrefix("203.0.113.2/32")
	for n := range hashAtOnce {
		if own := stand(t, h, priority{bad, n + 1}); own != nil {
			t.Fatal("there was a free turn")
		}
	}
	refused := 0
	for n := range 200 {
		if _, err := h.queue(priority{bad, hashAtOnce + n + 1}); errors.Is(err, errLineFull) {
			refused++
		}
	}
	if refused != 200-maxLineOfOne {
		t.Errorf("%d of 200 were refused", refused)
	}
	own := stand(t, h, priority{good, 1})
	h.next()
	if len(own.turn) != 1 || !<-own.turn {
		t.Error("the first turn that ended went to the flood")
	}
}

func TestAFullLineRefusesWhoStandsLast(t *testing.T) {
	t.Parallel()
	h := &hashing{busy: hashAtOnce}
	for n := range maxLine {
		stand(t, h, priority{netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, byte(n)}), 32), 1})
	}
	last := h.line[maxLine-1]
	if _, err := h.queue(priority{behind: 1}); !errors.Is(err, errLineFull) {
		t.Errorf("no better priority: %v", err)
	}
	stand(t, h, priority{behind: 0})
	if len(last.turn) != 1 || <-last.turn || len(h.line) != maxLine {
		t.Error("the last one still waits")
	}
}

func TestWhoGivesUpLeavesTheLine(t *testing.T) {
	t.Parallel()
	h := &hashing{busy: hashAtOnce}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.enter(ctx, priority{}); !errors.Is(err, context.Canceled) || len(h.line) != 0 {
		t.Errorf("%v, %d wait", err, len(h.line))
	}
	own := stand(t, h, priority{})
	h.next()
	h.leave(own) // the turn had come
	if h.next(); h.busy != 0 {
		t.Errorf("%d turns are lost", h.busy)
	}
}
