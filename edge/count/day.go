package count

import (
	"crypto/hmac"
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

// Bounds of what is kept of a shop between two batches. A robot that invents addresses,
// user agents or names uses up the share of its shop and of no other.
const (
	maxPages = 2000
	maxNames = 500     // per list of visitor input
	maxMarks = 4000    // new visitors and their sources
	maxHeld  = 400_000 // names and marks together, of all shops
	maxDays  = 50_000  // days of shops, while the Store does not accept batches
)

// Shop is a shop whose visits are counted.
type Shop struct {
	Company shop.CompanyID
	today   atomic.Pointer[Day] // nil: none yet
}

// Place is what counting reads of a shop's settings. It must not change while it is used.
type Place struct {
	Host  string   // canonical host, in lower case
	Hosts []string // all hosts, in lower case and without www.
	Zone  string   // time zone
}

// Day is what is counted for a shop on one day of its calendar.
type Day struct {
	c        *Counters
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
func (c *Counters) requestTime(ctx *fasthttp.RequestCtx) time.Time {
	if at := ctx.Time(); c.systemClock && !at.IsZero() {
		return at
	}
	return c.now()
}

// Today returns the current day of a shop. It never waits, and does not allocate while the
// day lasts.
func (c *Counters) Today(ctx *fasthttp.RequestCtx, of *Shop, at *Place) *Day {
	now := c.requestTime(ctx)
	d := of.today.Load()
	if d != nil && now.Unix() < d.until && d.zone == at.Zone {
		return d
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := of.today.Load(); other != d {
		return other
	}
	clock := shop.Clock(at.Zone)
	next := &Day{c: c, company: of.Company, date: shop.DayOf(now, clock), zone: at.Zone, seed: maphash.MakeSeed(), pages: map[string]*atomic.Int64{}}
	y, m, day := next.date.Date().Date()
	if next.until = time.Date(y, m, day+1, 0, 0, 0, 0, clock).Unix(); next.until <= now.Unix() {
		next.until = now.Unix() + 60 // where clocks change at midnight, the next day may begin later
	}
	if value := c.salts[next.date].value; value != nil {
		next.salt.Store(&value)
	}
	if next.ignored = len(c.days) >= maxDays; !next.ignored {
		c.days[next] = struct{}{}
	}
	if d != nil {
		d.replaced.Store(true)
	}
	of.today.Store(next)
	return next
}

// Ready reports whether visitors can be counted on the day without waiting for its salt; see
// LoadSalt.
func (d *Day) Ready() bool { return d.salt.Load() != nil || d.ignored }

// addView counts a view of a page by its path.
func (d *Day) addView(path string) {
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
		if len(d.pages) >= maxPages || len(path) > maxPageName || !d.c.reserve() {
			return
		}
		n = &atomic.Int64{}
		d.pages[strings.Clone(path)] = n
	}
	n.Add(1)
}

// addName counts a name in a list of the day.
func (d *Day) addName(list *visitstats.List, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := (*list)[name]; !known {
		if len(*list) >= maxNames || !d.c.reserve() {
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
func (d *Day) addMark(who netip.Prefix, agent []byte, kind visitstats.Kind, name []byte) bool {
	key := d.salt.Load()
	if key == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.marks) >= maxMarks || !d.c.reserve() {
		return false
	}
	d.marks = append(d.marks, visitstats.Mark{Hash: d.fingerprint(*key, who, agent, kind, name), Kind: kind, Name: string(name)})
	return true
}

// fingerprint is the hash of a visitor, a kind and a name on this day. The variable-length
// user agent is prefixed with its length, so that different inputs are encoded differently.
func (d *Day) fingerprint(key []byte, who netip.Prefix, agent []byte, kind visitstats.Kind, name []byte) int64 {
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
func (c *Counters) reserve() bool {
	if c.held.Add(1) <= maxHeld {
		return true
	}
	c.held.Add(-1)
	return false
}
