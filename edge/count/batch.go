package count

import (
	"context"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/visitstats"
)

const (
	batchNames   = 20_000 // approximate size of one batch
	batchGivenUp = 6 * time.Hour
)

// take moves the counts of a day into a batch entry and returns the number of names and
// marks in it.
func (d *Day) take() (out visitstats.Day, names int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	out = visitstats.Day{Company: d.company, Date: d.date, Views: d.views.Swap(0), Lists: d.lists, Marks: d.marks}
	names = len(d.pages) + len(d.marks) + len(d.lists.Searches) + len(d.lists.Missing)
	if len(d.pages) > 0 {
		out.Lists.Pages = make(visitstats.List, len(d.pages))
	}
	for path, n := range d.pages {
		out.Lists.Pages[path] = n.Load()
	}
	clear(d.pages)
	d.lists, d.marks = visitstats.Lists{}, nil
	d.c.held.Add(-int64(names))
	return out, names
}

// collectVisits makes a batch of the counts, nil if there are none.
func (c *Counters) collectVisits() *visitstats.Batch {
	c.mu.Lock()
	defer c.mu.Unlock()
	batch := &visitstats.Batch{Run: c.run}
	place := map[shopDate]int{}
	total := 0
	for d := range c.days {
		if total >= batchNames {
			break
		}
		replaced := d.replaced.Load() // read before take, so that all earlier counts are included
		day, names := d.take()
		if day.Views == 0 && names == 0 {
			if replaced {
				d.visitors.free(&c.rows)
				delete(c.days, d)
			}
			continue
		}
		total += names + 1
		at := shopDate{day.Company, day.Date}
		if i, ok := place[at]; ok { // the shop's time zone was changed, or the shop was out of use in between
			sum := &batch.Days[i]
			sum.Views += day.Views
			sum.Lists.Add(&day.Lists)
			sum.Marks = append(sum.Marks, day.Marks...)
			continue
		}
		place[at] = len(batch.Days)
		batch.Days = append(batch.Days, day)
	}
	if len(batch.Days) == 0 {
		return nil
	}
	c.number++
	batch.Number = c.number
	return batch
}

type shopDate struct {
	company shop.CompanyID
	date    shop.Day
}

// sendVisits sends the counts to the Store. A batch with an unknown result is kept and
// sent again, and the next one is made after it has succeeded: the counts made meanwhile
// stay within the shares of the shops.
func (c *Counters) sendVisits(ctx context.Context) error {
	c.flushing.Lock()
	defer c.flushing.Unlock()
	for {
		if c.pending == nil {
			if c.pending, c.collected = c.collectVisits(), c.now(); c.pending == nil {
				return nil
			}
		}
		ctx, cancel := context.WithTimeout(ctx, storeTimeout)
		err := c.store.Visits(ctx, *c.pending)
		cancel()
		if err != nil {
			if c.now().Sub(c.collected) > batchGivenUp {
				c.pending = nil
			}
			return err
		}
		c.pending = nil
	}
}
