package count

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestInventedAddressesFillOneShopsShareOnly(t *testing.T) {
	var m misses
	now := time.Unix(1_800_000_000, 0)
	for i := range 2 * maxMissesPerShop {
		m.add(7, strings.Repeat("x", i), now)
	}
	m.add(8, "/other", now)
	if batch := m.take(); len(batch) != maxMissesPerShop+1 {
		t.Errorf("%d rows", len(batch))
	}
	m.add(7, "/again", now)
	if batch := m.take(); len(batch) != 1 {
		t.Errorf("after a flush: %d rows", len(batch))
	}
}

// A dead link of visitors gets into the log during a scan.
func TestAFloodOfInventedAddressesHidesNoRealMiss(t *testing.T) {
	var m misses
	now := time.Unix(1_800_000_000, 0)
	for i := range 20_000 {
		m.add(7, "/scan-"+strconv.Itoa(i), now)
		if i%200 == 150 {
			m.add(7, "/dead-link", now)
		}
	}
	batch := m.take()
	if len(batch) != maxMissesPerShop {
		t.Errorf("%d rows", len(batch))
	}
	for _, row := range batch {
		if row.Path == "/dead-link" && row.Hits > 10 {
			return
		}
	}
	t.Error("a link that was followed a hundred times is not in the log")
}
