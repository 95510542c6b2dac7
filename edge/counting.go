package edge

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"hash/maphash"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/internal/shop"
	"vitrine/internal/visitstats"
)

// What a shop's visits add up to is counted here without cookies, and without keeping who
// visited (CONTRACT-COMMERCE, "Customers, closed resources, statistics"). A visitor of a
// day is a hash of shop, network and name of the browser under a salt that all edges share
// and that the store throws away when the day is over; it is made once, when this process
// sees the visitor for the first time that day. From then on a visit costs a look into
// seen, by a hash that means nothing outside of the process.

// Bounds of what is remembered of a shop between two batches. A robot that invents
// addresses, browsers or names fills its shop's share and no other's.
const (
	maxPages     = 2000
	maxNames     = 500     // of a list of what visitors type
	maxMarks     = 4000    // new visitors, where they come from
	maxHeld      = 400_000 // of these together, of all shops
	maxDays      = 50_000  // days of shops, while the Source takes none
	batchNames   = 20_000  // about, in one batch
	batchGivenUp = 6 * time.Hour
	saltTimeout  = 2 * time.Second
)

// counting is the statistics of a process.
type counting struct {
	run  [16]byte
	held atomic.Int64 // names and marks
	rows atomic.Int64 // of seen

	mu    sync.Mutex
	days  map[*shopDay]struct{} // that may have something to hand over
	salts map[shop.Day]salt

	flushing sync.Mutex
	number   int64
	pending  *visitstats.Batch // was sent, and nobody knows whether it arrived
	since    time.Time         // when it was made
}

// salt is one of a date; nil where it could not be had at a time.
type salt struct {
	value []byte
	asked time.Time
}

func (c *counting) init() error {
	c.days, c.salts = map[*shopDay]struct{}{}, map[shop.Day]salt{}
	_, err := rand.Read(c.run[:])
	return err
}

// shopDay is what is counted of a shop on a day of its calendar.
type shopDay struct {
	company shop.CompanyID
	date    shop.Day
	zone    string
	until   int64 // the second at which it is to be looked whether the day is over
	seed    maphash.Seed
	salt    atomic.Pointer[[]byte]
	over    atomic.Bool // another has taken its place
	deaf    bool        // there is no room: nothing is counted

	views atomic.Int64
	seen  seen

	mu    sync.RWMutex
	pages map[string]*atomic.Int64
	lists visitstats.Lists // of what visitors type
	marks []visitstats.Mark
}

// moment is when a request was read. The listener has looked at the clock already.
func (s *Server) moment(ctx *fasthttp.RequestCtx) time.Time {
	if at := ctx.Time(); s.ticks && !at.IsZero() {
		return at
	}
	return s.cfg.Now()
}

// day is the present one of a shop. It never waits.
func (s *Server) day(ctx *fasthttp.RequestCtx, t *tenant, st *state) *shopDay {
	now := s.moment(ctx)
	d := t.today.Load()
	if d != nil && now.Unix() < d.until && d.zone == st.zone {
		return d
	}
	c := &s.counting
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := t.today.Load(); other != d {
		return other
	}
	clock := shop.Clock(st.zone)
	next := &shopDay{company: t.company, date: shop.DayOf(now, clock), zone: st.zone, seed: maphash.MakeSeed(), pages: map[string]*atomic.Int64{}}
	y, m, day := next.date.Date().Date()
	if next.until = time.Date(y, m, day+1, 0, 0, 0, 0, clock).Unix(); next.until <= now.Unix() {
		next.until = now.Unix() + 60 // where clocks change at midnight, the next day may begin later
	}
	if held := c.salts[next.date].value; held != nil {
		next.salt.Store(&held)
	}
	if next.deaf = len(c.days) >= maxDays; !next.deaf {
		c.days[next] = struct{}{}
	}
	if d != nil {
		d.over.Store(true)
	}
	t.today.Store(next)
	return next
}

// ready reports whether visitors of the day can be counted without waiting.
func (d *shopDay) ready() bool { return d.salt.Load() != nil || d.deaf }

// salted gives a day its salt, asking the Source when nobody has yet.
func (s *Server) salted(ctx context.Context, d *shopDay) {
	if value := s.saltOf(ctx, d.date); value != nil {
		d.salt.Store(&value)
	}
}

// saltOf is the salt of a date, nil while it cannot be had.
func (s *Server) saltOf(ctx context.Context, date shop.Day) []byte {
	c := &s.counting
	c.mu.Lock()
	held := c.salts[date]
	c.mu.Unlock()
	if held.value != nil || s.cfg.Now().Sub(held.asked) < retryAfter {
		return held.value
	}
	found, err := s.flights.do(ctx, "salt "+date.String(), func() (any, error) {
		ctx, cancel := context.WithTimeout(ctx, saltTimeout)
		defer cancel()
		value, err := s.cfg.Source.VisitSalt(ctx, date)
		c.mu.Lock()
		c.salts[date] = salt{value, s.cfg.Now()}
		c.mu.Unlock()
		return value, err
	})
	if err != nil {
		return nil
	}
	return found.([]byte)
}

// resalt has the salts of the days that are somewhere on earth and of those to come, so
// that nobody waits for one at midnight, and forgets the others.
func (s *Server) resalt(ctx context.Context) {
	now := s.cfg.Now()
	first, last := shop.DayOf(now.Add(-12*time.Hour), time.UTC), shop.DayOf(now.Add(15*time.Hour), time.UTC)
	for date := first; date <= last; date++ {
		s.saltOf(ctx, date)
	}
	c := &s.counting
	c.mu.Lock()
	defer c.mu.Unlock()
	for date := range c.salts {
		if date < first || date > last {
			delete(c.salts, date)
		}
	}
}

// view counts a view of a page by its path.
func (d *shopDay) view(c *counting, path string) {
	d.views.Add(1)
	d.mu.RLock()
	n := d.pages[path]
	if n != nil {
		n.Add(1) // under the lock, so that none is lost between two batches
	}
	d.mu.RUnlock()
	if n != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if n = d.pages[path]; n == nil {
		if len(d.pages) >= maxPages || len(path) > maxPageName || !c.room() {
			return
		}
		n = &atomic.Int64{}
		d.pages[strings.Clone(path)] = n
	}
	n.Add(1)
}

// name counts a name of a list of the day.
func (d *shopDay) name(c *counting, list *visitstats.List, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := (*list)[name]; !known {
		if len(*list) >= maxNames || !c.room() {
			return
		}
		if *list == nil {
			*list = visitstats.List{}
		}
		name = strings.Clone(name)
	}
	(*list)[name]++
}

// mark notes something that counts once a visitor and day; false when there is no room.
func (d *shopDay) mark(c *counting, who netip.Prefix, agent []byte, kind visitstats.Kind, name string) bool {
	key := d.salt.Load()
	if key == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.marks) >= maxMarks || !c.room() {
		return false
	}
	d.marks = append(d.marks, visitstats.Mark{Hash: d.fingerprint(*key, who, agent, kind, name), Kind: kind, Name: strings.Clone(name)})
	return true
}

// fingerprint is what a visitor is for a day. What follows is written with its length, so
// that no two visitors are spelled alike.
func (d *shopDay) fingerprint(key []byte, who netip.Prefix, agent []byte, kind visitstats.Kind, name string) int64 {
	mac := hmac.New(sha256.New, key) // never fails to write (hash.Hash)
	text := binary.BigEndian.AppendUint32([]byte{byte(kind)}, uint32(d.company))
	network := who.Addr().As16()
	text = append(text, network[:]...)
	text = binary.BigEndian.AppendUint16(text, uint16(len(agent)))
	text = append(append(text, agent...), name...)
	mac.Write(text)
	return int64(binary.BigEndian.Uint64(mac.Sum(nil)))
}

// room takes a place for a name or mark among those of all shops.
func (c *counting) room() bool {
	if c.held.Add(1) <= maxHeld {
		return true
	}
	c.held.Add(-1)
	return false
}

// take empties a day into what is handed over, and says how many names that are.
func (d *shopDay) take(c *counting) (out visitstats.Day, names int) {
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
	c.held.Add(-int64(names))
	return out, names
}

// gather makes a batch of what was counted, nil of nothing.
func (s *Server) gather() *visitstats.Batch {
	c := &s.counting
	c.mu.Lock()
	defer c.mu.Unlock()
	batch := &visitstats.Batch{Run: c.run}
	place := map[shopDate]int{}
	total := 0
	for d := range c.days {
		if total >= batchNames {
			break
		}
		over := d.over.Load() // before it is emptied: who counted until then is in
		day, names := d.take(c)
		if day.Views == 0 && names == 0 {
			if over {
				d.seen.free(&c.rows)
				delete(c.days, d)
			}
			continue
		}
		total += names + 1
		at := shopDate{day.Company, day.Date}
		if i, ok := place[at]; ok { // the shop's clock was set, or it was out of use in between
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

// handOver gives the Source what was counted. A batch of which nobody knows whether it
// arrived is kept, and the next one made when it has: what is counted meanwhile stays
// within the shares of the shops.
func (s *Server) handOver(ctx context.Context) error {
	c := &s.counting
	c.flushing.Lock()
	defer c.flushing.Unlock()
	for {
		if c.pending == nil {
			if c.pending, c.since = s.gather(), s.cfg.Now(); c.pending == nil {
				return nil
			}
		}
		ctx, cancel := context.WithTimeout(ctx, visitTimeout)
		err := s.cfg.Source.Visits(ctx, *c.pending)
		cancel()
		if err != nil {
			if s.cfg.Now().Sub(c.since) > batchGivenUp {
				c.pending = nil
			}
			return err
		}
		c.pending = nil
	}
}
