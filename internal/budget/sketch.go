package budget

import (
	"sync"
	"time"
)

const (
	rows  = 4
	width = 1 << 15 // cells per row: two bytes of a hash choose one
)

// sketch holds times in nanoseconds: until when the attempts of the keys that share a cell
// are paid for. The zero time of a cell is in the past.
type sketch struct {
	each  int64 // cost of one attempt
	most  int64 // maximum lead of a key's time over the present
	cells int   // per row, a power of two of at most 1<<16

	mu     sync.Mutex
	rows   [rows][]int64 // nil until the first attempt
	latest int64         // the clock when it was last read
	behind int64         // how far the clock has gone back in all
}

// reordered is by how much goroutines may read the clock in another order than they get here.
const reordered = int64(time.Second)

// at is the sketch's time at a reading of the clock. It does not go back with the clock of the
// machine: what is paid for an hour after a clock is set back would be refused for an hour.
func (s *sketch) at(now int64) int64 {
	if s.latest-now > reordered {
		s.behind += s.latest - now
		s.latest = now
	}
	s.latest = max(s.latest, now)
	return now + s.behind
}

// cell returns the cell of a hash in a row.
func (s *sketch) cell(row int, hash uint64) *int64 {
	if s.rows[row] == nil {
		s.rows[row] = make([]int64, s.cells)
	}
	return &s.rows[row][int(hash>>(16*row))&(s.cells-1)]
}

// paid is the upper bound of the time until which a key's attempts are paid for, at least
// now.
func (s *sketch) paid(hash uint64, now int64) int64 {
	least := *s.cell(0, hash)
	for row := 1; row < rows; row++ {
		least = min(least, *s.cell(row, hash))
	}
	return max(least, now)
}

func (s *sketch) take(hash uint64, now int64) (wait int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now = s.at(now)
	if wait := s.paid(hash, now) + s.each - s.most - now; wait > 0 {
		return wait
	}
	for row := range rows {
		c := s.cell(row, hash)
		*c = max(*c, now) + s.each
	}
	return 0
}

// giveBack takes the remainder of an attempt from the cells. Afterwards a cell is at least
// as far ahead as if the attempt had never been taken: other keys that share it do not
// gain.
func (s *sketch) giveBack(hash uint64, taken, now int64) {
	left := s.each - max(0, now-taken)
	if left <= 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for row := range rows {
		*s.cell(row, hash) -= left
	}
}

// ahead is how far the time of a key is in the future, 0 if it has passed.
func (s *sketch) ahead(hash uint64, now int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	now = s.at(now)
	return s.paid(hash, now) - now
}

// raise sets the time of a key to at least keep from now.
func (s *sketch) raise(hash uint64, now, keep int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	until := s.at(now) + keep
	for row := range rows {
		c := s.cell(row, hash)
		*c = max(*c, until)
	}
}
