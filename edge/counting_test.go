package edge

import (
	"context"
	"crypto/sha256"

	"vitrine/internal/shop"
	"vitrine/internal/tally"
)

// visitsTaken is what a fixture has of the statistics: like the store it takes a batch of a
// run once, and a mark of a day.
type visitsTaken struct {
	last  map[[16]byte]int64
	days  map[shopDate]*tally.Day
	marks map[shopDate]map[int64]bool
	sent  int                // batches that came
	lost  int                // how many of the next answers are lost after the batch was taken
	seen  map[shopDate]int64 // visits
}

func (f *fixture) VisitSalt(_ context.Context, day shop.Day) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	salt := sha256.Sum256([]byte(day.String()))
	return salt[:], f.call("VisitSalt")
}

func (f *fixture) Visits(_ context.Context, batch tally.Batch) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("Visits"); err != nil {
		return err
	}
	v := &f.visits
	v.sent++
	if v.last == nil {
		v.last, v.days, v.marks, v.seen = map[[16]byte]int64{}, map[shopDate]*tally.Day{}, map[shopDate]map[int64]bool{}, map[shopDate]int64{}
	}
	if batch.Number > v.last[batch.Run] {
		v.last[batch.Run] = batch.Number
		for _, d := range batch.Days {
			v.add(d)
		}
	}
	if v.lost > 0 {
		v.lost--
		return errAway
	}
	return nil
}

func (v *visitsTaken) add(d tally.Day) {
	at := shopDate{d.Company, d.Date}
	sum := v.days[at]
	if sum == nil {
		sum = &tally.Day{Company: d.Company, Date: d.Date}
		v.days[at], v.marks[at] = sum, map[int64]bool{}
	}
	sum.Views += d.Views
	sum.Lists.Add(&d.Lists)
	for _, m := range d.Marks {
		if v.marks[at][m.Hash] {
			continue
		}
		v.marks[at][m.Hash] = true
		sum.Lists.Count(m)
		if m.Kind == tally.Visitor {
			v.seen[at]++
		}
	}
}

// counted hands over and says what a shop has on the day of the clock of UTC.
func (w *world) counted(company shop.CompanyID, date string) (visits int64, day tally.Day) {
	w.t.Helper()
	if err := w.edge.flush(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	d, ok := shop.ParseDay(date)
	if !ok {
		w.t.Fatalf("%q is no day", date)
	}
	w.src.mu.Lock()
	defer w.src.mu.Unlock()
	at := shopDate{company, d}
	if sum := w.src.visits.days[at]; sum != nil {
		return w.src.visits.seen[at], *sum
	}
	return 0, day
}
