package budget

import "sync"

const (
	rows  = 4
	width = 1 << 15 // cells a row: two bytes of a hash choose one
)

// sketch holds times in nanoseconds: up to when the tries of the keys that meet
// in a cell are paid for. The zero time of a cell lies in the past.
type sketch struct {
	each  int64 // what one try costs
	most  int64 // how far ahead a key may be
	cells int   // of a row, a power of two of at most 1<<16

	mu   sync.Mutex
	rows [rows][]int64 // nil until the first try
}

// cell is the cell of a hash in a row.
func (s *sketch) cell(row int, hash uint64) *int64 {
	if s.rows[row] == nil {
		s.rows[row] = make([]int64, s.cells)
	}
	return &s.rows[row][int(hash>>(16*row))&(s.cells-1)]
}

// paid is up to when a key's tries are paid for at most, now if they all are.
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
	if wait := s.paid(hash, now) + s.each - s.most - now; wait > 0 {
		return wait
	}
	for row := range rows {
		c := s.cell(row, hash)
		*c = max(*c, now) + s.each
	}
	return 0
}

// giveBack takes from the cells what is left of a try. After it a cell is ahead
// at least as far as it would be had the try never been taken: the others that
// meet there lose none of theirs.
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

// ahead is how far the time of a key lies ahead, 0 when it is over.
func (s *sketch) ahead(hash uint64, now int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paid(hash, now) - now
}

// raise puts the time of a key at least there.
func (s *sketch) raise(hash uint64, until int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for row := range rows {
		c := s.cell(row, hash)
		*c = max(*c, until)
	}
}
