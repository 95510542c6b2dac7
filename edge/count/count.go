// Package count counts what the edge answers: visits and page views, addresses that do not
// exist, redirect rules that match, and reads of articles. It adds up in memory and sends
// the sums to a Store every few seconds.
//
// Visits are counted without cookies and without storing visitors (CONTRACT-COMMERCE,
// "Customers, closed resources, statistics"). A visitor of a day is identified by a hash of
// shop, network and user agent under a salt. All edges share the salt, and the store deletes
// it when the day is over. The hash is computed once, when this process sees the visitor for
// the first time that day. From then on a visit costs a look-up in visitorTable, by a hash
// that has no meaning outside of the process.
//
// The edge decides which responses count as page views; this package decides which visitors
// count:
//
//	count.go         Counters, the Store and Flush
//	view.go          page views and where their visitors came from
//	robot.go         which clients are robots
//	day.go           the counts of one shop on one day
//	visitortable.go  visitors seen on a day
//	salt.go          the salts of the days
//	names.go         which names of pages, searches and campaigns may be kept
//	batch.go         batches of visits, each of which counts once
//	log.go           the 404 log and hits of redirect rules
//	reads.go         reads of articles
package count

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/flight"
	"vitrine/internal/forwarded"
	"vitrine/internal/shop"
	"vitrine/internal/visitstats"
)

// Store is where the counts are added up. It is a part of edge.Source, which has two
// implementations. Its methods are called concurrently.
type Store interface {
	// Misses adds to the 404 logs, Hits to the counters of redirect rules, Views to those
	// of articles. They are called with a batch every few seconds. Deleted rules and
	// articles are no error.
	Misses(ctx context.Context, batch []Miss) error
	Hits(ctx context.Context, batch []Hit) error
	Views(ctx context.Context, batch []View) error

	// VisitSalt returns the salt for the visitors of a date. It is the same for all edges
	// while the date is current anywhere on earth. Visits adds visit counts of shops; a
	// batch that is sent again counts once.
	VisitSalt(ctx context.Context, day shop.Day) ([]byte, error)
	Visits(ctx context.Context, batch visitstats.Batch) error
}

// Miss is an address that answered 404, counted since the last batch.
type Miss struct {
	Company shop.CompanyID
	Path    string // as sent, without query; valid UTF-8
	Hits    int64
	Last    time.Time
}

// Hit is a redirect rule that matched since the last batch.
type Hit struct {
	Company shop.CompanyID
	Rule    shop.RuleID
	Hits    int64
	Last    time.Time
}

// View is an article that visitors read since the last batch.
type View struct {
	Company shop.CompanyID
	Article shop.ArticleID
	Views   int64
}

// storeTimeout bounds each call of the Store with a batch.
const storeTimeout = 10 * time.Second

// Counters holds the counts of a process since the last Flush. Safe for concurrent use.
type Counters struct {
	store       Store
	proxies     forwarded.Proxies
	now         func() time.Time
	systemClock bool // now is the system time

	run  [16]byte
	held atomic.Int64 // number of names and marks
	rows atomic.Int64 // number of rows of visitor tables

	mu    sync.Mutex
	days  map[*Day]struct{} // days that may have something to send
	salts map[shop.Day]salt

	loading flight.Group // of salts

	flushing  sync.Mutex
	number    int64
	pending   *visitstats.Batch // sent with an unknown result
	collected time.Time         // when pending was made

	misses misses
	hits   hits
	reads  reads
}

// New creates empty Counters. proxies are the proxies trusted to report the address of a
// client. now nil is the system time.
func New(store Store, proxies forwarded.Proxies, now func() time.Time) (*Counters, error) {
	c := &Counters{store: store, proxies: proxies, now: now, days: map[*Day]struct{}{}, salts: map[shop.Day]salt{}}
	if c.systemClock = now == nil; c.systemClock {
		c.now = time.Now
	}
	_, err := rand.Read(c.run[:])
	return c, err
}

// Flush sends the counts to the Store. A batch that fails is lost, except that of the
// visits: these counters are approximate, and keeping them would grow without bound in an
// outage.
func (c *Counters) Flush(ctx context.Context) error {
	err := c.sendVisits(ctx)
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if batch := c.misses.take(); len(batch) > 0 {
		err = errors.Join(err, c.store.Misses(ctx, batch))
	}
	if batch := c.hits.take(); len(batch) > 0 {
		err = errors.Join(err, c.store.Hits(ctx, batch))
	}
	if batch := c.reads.take(); len(batch) > 0 {
		err = errors.Join(err, c.store.Views(ctx, batch))
	}
	return err
}
