package edge

import (
	"sync"
	"sync/atomic"
)

// seen remembers whom a shop has seen today, and who of them is a robot, by hashes of this
// process. It need not remember all: who was forgotten is told to the Source again, which
// knows. So it is a table of places in rows that never waits: who finds a row full takes
// the place of somebody.
type seen struct {
	rows atomic.Pointer[[]seenRow]
	mu   sync.Mutex // held while it grows
}

// seenRow is one line of the processor's cache. A place is a hash whose lowest bit says
// robot; 0 is free.
type seenRow [8]atomic.Uint64

const (
	seenRows    = 8       // of a shop's first visitors
	maxSeenRows = 1 << 14 // of one shop: 1 MB for 131,072 visitors
	allSeenRows = 1 << 20 // of all shops of a process: 64 MB
)

const robotBit = 1

// find reports whether somebody was seen, and is a robot.
func (s *seen) find(key uint64) (isRobot, known bool) {
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

// put remembers somebody. Places that more rows take are counted in held.
func (s *seen) put(key uint64, isRobot bool, held *atomic.Int64) {
	value := key &^ robotBit
	if value == 0 {
		return
	}
	if isRobot {
		value |= robotBit
	}
	rows := s.rows.Load()
	if rows == nil {
		rows = s.grow(nil, held)
	}
	for !place(*rows, value) {
		next := s.grow(rows, held)
		if next == rows {
			row := &(*rows)[value>>16&uint64(len(*rows)-1)]
			row[value>>1&7].Store(value)
			return
		}
		rows = next
	}
}

func place(rows []seenRow, value uint64) bool {
	row := &rows[value>>16&uint64(len(rows)-1)]
	for i := range row {
		v := row[i].Load()
		if v&^robotBit == value&^robotBit || v == 0 && row[i].CompareAndSwap(0, value) {
			return true
		}
	}
	return false
}

// grow doubles the rows, and returns those that there are when there may be no more. Who
// is entered meanwhile may be forgotten.
func (s *seen) grow(from *[]seenRow, held *atomic.Int64) *[]seenRow {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rows := s.rows.Load(); rows != from {
		return rows
	}
	n := seenRows
	if from != nil {
		if n = 2 * len(*from); n > maxSeenRows || held.Load() > allSeenRows {
			return from
		}
	}
	next := make([]seenRow, n)
	held.Add(int64(n))
	if from != nil {
		held.Add(-int64(len(*from)))
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

// free gives the rows back.
func (s *seen) free(held *atomic.Int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rows := s.rows.Swap(nil); rows != nil {
		held.Add(-int64(len(*rows)))
	}
}
