// Package counttest adds up visits in memory, as the database does, for tests.
package counttest

import (
	"crypto/sha256"
	"errors"
	"sync"
	"testing"

	"vitrine/internal/shop"
	"vitrine/internal/visitstats"
)

// ErrLost is returned for a batch whose response is lost.
var ErrLost = errors.New("the database is unavailable")

// Visits accepts a batch of a run once, and a mark once a day. The zero value is empty.
type Visits struct {
	mu     sync.Mutex
	last   map[[16]byte]int64
	days   map[shopDate]*visitstats.Day
	marks  map[shopDate]map[int64]bool
	visits map[shopDate]int64
	lost   int // number of next responses that are lost after the batch was stored
}

type shopDate struct {
	company shop.CompanyID
	date    shop.Day
}

// Salt returns the salt of a date.
func (v *Visits) Salt(day shop.Day) []byte {
	salt := sha256.Sum256([]byte(day.String()))
	return salt[:]
}

// Lose makes the next n calls of Add return ErrLost after they have stored the batch.
func (v *Visits) Lose(n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.lost = n
}

// Add adds a batch.
func (v *Visits) Add(batch visitstats.Batch) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.last == nil {
		v.last, v.days, v.marks, v.visits = map[[16]byte]int64{}, map[shopDate]*visitstats.Day{}, map[shopDate]map[int64]bool{}, map[shopDate]int64{}
	}
	if batch.Number > v.last[batch.Run] {
		v.last[batch.Run] = batch.Number
		for _, d := range batch.Days {
			v.add(d)
		}
	}
	if v.lost > 0 {
		v.lost--
		return ErrLost
	}
	return nil
}

func (v *Visits) add(d visitstats.Day) {
	at := shopDate{d.Company, d.Date}
	sum := v.days[at]
	if sum == nil {
		sum = &visitstats.Day{Company: d.Company, Date: d.Date}
		v.days[at], v.marks[at] = sum, map[int64]bool{}
	}
	sum.Views += d.Views
	sum.Lists.Add(&d.Lists)
	for _, m := range d.Marks {
		if v.marks[at][m.Hash] {
			continue
		}
		v.marks[at][m.Hash] = true
		sum.Lists.AddMark(m)
		if m.Kind == visitstats.Visitor {
			v.visits[at]++
		}
	}
}

// Of returns the visits and the sums of a shop on a date such as 2027-01-15.
func (v *Visits) Of(t testing.TB, company shop.CompanyID, date string) (visits int64, day visitstats.Day) {
	t.Helper()
	d, ok := shop.ParseDay(date)
	if !ok {
		t.Fatalf("%q is not a date", date)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	at := shopDate{company, d}
	if sum := v.days[at]; sum != nil {
		return v.visits[at], *sum
	}
	return 0, day
}

// Batch returns everything as a batch of another edge, which has seen the same visitors.
func (v *Visits) Batch() visitstats.Batch {
	v.mu.Lock()
	defer v.mu.Unlock()
	batch := visitstats.Batch{Run: [16]byte{9}, Number: 1}
	for at, d := range v.days {
		day := *d
		for hash := range v.marks[at] {
			day.Marks = append(day.Marks, visitstats.Mark{Hash: hash})
		}
		batch.Days = append(batch.Days, day)
	}
	return batch
}
