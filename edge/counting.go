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

// Visits of a shop are counted here without cookies and without storing visitors
// (CONTRACT-COMMERCE, "Customers, closed resources, statistics"). A visitor of a day is
// identified by a hash of shop, network and user agent under a salt. All edges share the
// salt, and the store deletes it when the day is over. The hash is computed once, when this
// process sees the visitor for the first time that day. From then on a visit costs a
// look-up in visitorTable, by a hash that has no meaning outside of the process.

// Bounds of what is kept of a shop between two batches. A robot that invents addresses,
// user agents or names uses up the share of its shop and of no other.
const (
	maxPages     = 2000
	maxNames     = 500     // per list of visitor input
	maxMarks     = 4000    // new visitors and their sources
	maxHeld      = 400_000 // names and marks together, of all shops
	maxDays      = 50_000  // days of shops, while the Source does not accept batches
	batchNames   = 20_000  // approximate size of one batch
	batchGivenUp = 6 * time.Hour
	saltTimeout  = 2 * time.Second
)

// counting holds the visit statistics of a process.
type counting struct {
	run  [16]byte
	held atomic.Int64 // number of names and marks
	rows atomic.Int64 // number of rows of visitor tables

	mu    sync.Mutex
	days  map[*shopDay]struct{} // days that may have something to send
	salts map[shop.Day]salt

	flushing  sync.Mutex
	number    int64
	pending   *visitstats.Batch // sent with an unknown result
	collected time.Time         // when pending was made
}

// salt is the salt of a date. value is nil if it was not available when it was requested.
type salt struct {
	value []byte
	asked time.Time
}

func (c *counting) init() error {
	c.days, c.salts = map[*shopDay]struct{}{}, map[shop.Day]salt{}
	_, err := rand.Read(c.run[:])
	return err
}

// shopDay is what is counted for a shop on one day of its calendar.
type shopDay struct {
	company  shop.CompanyID
	date     shop.Day
	zone     string
	until    int64 // second at which to check whether the day is over
	seed     maphash.Seed
	salt     atomic.Pointer[[]byte]
	replaced atomic.Bool // another day has taken its place
	ignored  bool        // no capacity left: nothing is counted

	views    atomic.Int64
	visitors visitorTable

	mu    sync.RWMutex
	pages map[string]*atomic.Int64
	lists visitstats.Lists // of visitor input
	marks []visitstats.Mark
}

// requestTime is when a request was read. It uses the time that the listener has already
// taken.
func (s *Server) requestTime(ctx *fasthttp.RequestCtx) time.Time {
	if at := ctx.Time(); s.systemClock && !at.IsZero() {
		return at
	}
	return s.cfg.Now()
}

// day is the current day of a shop. It never waits.
func (s *Server) day(ctx *fasthttp.RequestCtx, t *tenant, st *state) *shopDay {
	now := s.requestTime(ctx)
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
	if next.ignored = len(c.days) >= maxDays; !next.ignored {
		c.days[next] = struct{}{}
	}
	if d != nil {
		d.replaced.Store(true)
	}
	t.today.Store(next)
	return next
}

// ready reports whether visitors can be counted on the day without waiting.
func (d *shopDay) ready() bool { return d.salt.Load() != nil || d.ignored }

// loadSalt sets the salt of a day, and requests it from the Source if it is not held yet.
func (s *Server) loadSalt(ctx context.Context, d *shopDay) {
	if value := s.saltOf(ctx, d.date); value != nil {
		d.salt.Store(&value)
	}
}

// saltOf is the salt of a date, nil while it is not available.
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

// refreshSalts loads the salts of the dates that are current somewhere on earth, and of
// those about to begin, so that no request waits for one at midnight. It drops all others.
func (s *Server) refreshSalts(ctx context.Context) {
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

// addView counts a view of a page by its path.
func (d *shopDay) addView(c *counting, path string) {
	d.views.Add(1)
	d.mu.RLock()
	n := d.pages[path]
	if n != nil {
		n.Add(1) // under the lock, so that take misses no count
	}
	d.mu.RUnlock()
	if n != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if n = d.pages[path]; n == nil {
		if len(d.pages) >= maxPages || len(path) > maxPageName || !c.reserve() {
			return
		}
		n = &atomic.Int64{}
		d.pages[strings.Clone(path)] = n
	}
	n.Add(1)
}

// addName counts a name in a list of the day.
func (d *shopDay) addName(c *counting, list *visitstats.List, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := (*list)[name]; !known {
		if len(*list) >= maxNames || !c.reserve() {
			return
		}
		if *list == nil {
			*list = visitstats.List{}
		}
		name = strings.Clone(name)
	}
	(*list)[name]++
}

// addMark records something that counts once per visitor and day. It returns false if the
// salt is missing or no capacity is left.
func (d *shopDay) addMark(c *counting, who netip.Prefix, agent []byte, kind visitstats.Kind, name string) bool {
	key := d.salt.Load()
	if key == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.marks) >= maxMarks || !c.reserve() {
		return false
	}
	d.marks = append(d.marks, visitstats.Mark{Hash: d.fingerprint(*key, who, agent, kind, name), Kind: kind, Name: strings.Clone(name)})
	return true
}

// fingerprint is the hash of a visitor, a kind and a name on this day. The variable-length
// user agent is prefixed with its length, so that different inputs are encoded differently.
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

// reserve takes one place for a name or mark out of maxHeld.
func (c *counting) reserve() bool {
	if c.held.Add(1) <= maxHeld {
		return true
	}
	c.held.Add(-1)
	return false
}

// take moves the counts of a day into a batch entry and returns the number of names and
// marks in it.
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

// collectVisits makes a batch of the counts, nil if there are none.
func (s *Server) collectVisits() *visitstats.Batch {
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
		replaced := d.replaced.Load() // read before take, so that all earlier counts are included
		day, names := d.take(c)
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

// sendVisits sends the counts to the Source. A batch with an unknown result is kept and
// sent again, and the next one is made after it has succeeded: the counts made meanwhile
// stay within the shares of the shops.
func (s *Server) sendVisits(ctx context.Context) error {
	c := &s.counting
	c.flushing.Lock()
	defer c.flushing.Unlock()
	for {
		if c.pending == nil {
			if c.pending, c.collected = s.collectVisits(), s.cfg.Now(); c.pending == nil {
				return nil
			}
		}
		ctx, cancel := context.WithTimeout(ctx, visitTimeout)
		err := s.cfg.Source.Visits(ctx, *c.pending)
		cancel()
		if err != nil {
			if s.cfg.Now().Sub(c.collected) > batchGivenUp {
				c.pending = nil
			}
			return err
		}
		c.pending = nil
	}
}
