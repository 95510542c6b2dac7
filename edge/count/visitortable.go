package count

import (
	"sync"
	"sync/atomic"
)

// visitorTable holds the hashes, local to this process, of the visitors of a shop on one
// day, and whether each is a robot. It may forget visitors: a forgotten one is reported to
// the Source again, which counts it once. So it is a table of fixed rows that never waits:
// an insertion into a full row overwrites an entry.
type visitorTable struct {
	rows atomic.Pointer[[]visitorRow]
	mu   sync.Mutex // held while the table grows
}

// visitorRow is one cache line. A place holds a hash whose lowest bit marks robots; 0 is
// free.
type visitorRow [8]atomic.Uint64

const (
	firstVisitorRows = 8       // initial size for a shop
	maxVisitorRows   = 1 << 14 // per shop: 1 MB for 131,072 visitors
	allVisitorRows   = 1 << 20 // all shops of a process: 64 MB
)

const robotBit = 1

// find reports whether a visitor is in the table, and whether it is a robot.
func (s *visitorTable) find(key uint64) (isRobot, known bool) {
	rows := s.rows.Load()
	if rows == nil {
		return false, false
	}
	key &^= robotBit
	row := &(*rows)[key>>16&uint64(len(*rows)-1)]
	for i := range row {
		if v := row[i].Load(); v&^robotBit == key {
			return v&robotBit != 0, true
		}
	}
	return false, false
}

// put adds a visitor. It adds the rows that the table grows by to total.
func (s *visitorTable) put(key uint64, isRobot bool, total *atomic.Int64) {
	value := key &^ robotBit
	if value == 0 {
		return
	}
	if isRobot {
		value |= robotBit
	}
	rows := s.rows.Load()
	if rows == nil {
		rows = s.grow(nil, total)
	}
	for !place(*rows, value) {
		next := s.grow(rows, total)
		if next == rows {
			row := &(*rows)[value>>16&uint64(len(*rows)-1)]
			row[value>>1&7].Store(value)
			return
		}
		rows = next
	}
}

func place(rows []visitorRow, value uint64) bool {
	row := &rows[value>>16&uint64(len(rows)-1)]
	for i := range row {
		v := row[i].Load()
		if v&^robotBit == value&^robotBit || v == 0 && row[i].CompareAndSwap(0, value) {
			return true
		}
	}
	return false
}

// grow doubles the rows, and returns the current ones when the limit is reached. A visitor
// added meanwhile may be forgotten.
func (s *visitorTable) grow(from *[]visitorRow, total *atomic.Int64) *[]visitorRow {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rows := s.rows.Load(); rows != from {
		return rows
	}
	n := firstVisitorRows
	if from != nil {
		if n = 2 * len(*from); n > maxVisitorRows || total.Load() > allVisitorRows {
			return from
		}
	}
	next := make([]visitorRow, n)
	total.Add(int64(n))
	if from != nil {
		total.Add(-int64(len(*from)))
		for r := range *from {
			for i := range (*from)[r] {
				if v := (*from)[r][i].Load(); v != 0 {
					place(next, v)
				}
			}
		}
	}
	s.rows.Store(&next)
	return &next
}

// free releases the rows.
func (s *visitorTable) free(total *atomic.Int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rows := s.rows.Swap(nil); rows != nil {
		total.Add(-int64(len(*rows)))
	}
}
