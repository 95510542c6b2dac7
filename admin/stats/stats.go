// Package stats reports the visits and orders of a shop (CONTRACT-COMMERCE, "Customers, closed
// resources, statistics").
//
// The edge counts visits without cookies (package visitstats), so a visit is a daily visitor: the
// same person on two days counts twice, and the visits of several days do not add up to people.
// Orders and revenue are sums that the store updates in the transactions that place and cancel
// orders. Both are kept by day in the time zone that the shop had at that time.
package stats

import (
	"context"
	"maps"
	"slices"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	salesdb "vitrine/internal/store/sales"
	"vitrine/internal/store/visit"
)

// Config holds the dependencies of Stats.
type Config struct {
	Store *store.Store
	Now   func() time.Time
}

// Stats serves the endpoint of this package.
type Stats struct{ Config }

// New returns Stats with the given dependencies.
func New(cfg Config) *Stats { return &Stats{cfg} }

// Endpoints lists the endpoints of this package. The scope is not sensitive, so editors see the
// revenue as well (document 1, section 5).
func (ss *Stats) Endpoints() []api.Endpoint {
	return []api.Endpoint{
		{Method: "GET", Path: "/stats", Scopes: []shop.Scope{"stats:read"}, Contour: api.LiveOnly, Class: api.Read,
			Errors: api.Refuses(errDates, errGroup, store.ErrShopNotFound), Do: api.Handle(ss.stats),
			Summary: "Daily visitors, page views, orders and revenue of a period, compared with the preceding period"},
	}
}

// Limits of a request.
const (
	defaultDays = 30
	maxDays     = 366
	topLimit    = 50 // names per list
)

// The range of valid dates; others are assumed to be mistakes.
var firstDay, lastDay = dayOf(2000, 1, 1), dayOf(2100, 12, 31)

var (
	errDates = shop.ErrInvalidRequest.At("from").With("from and to are dates such as 2026-11-24, from not after to, at most 366 days, between 2000 and 2100")
	errGroup = shop.ErrInvalidRequest.At("group").With("day, week or month")
)

func dayOf(year, month, day int) shop.Day {
	return shop.DayOf(time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC), time.UTC)
}

type statsRequest struct {
	From  string   `query:"from" json:"-" len:"10" refuse:"INVALID_REQUEST" doc:"the first day, such as 2026-11-24; by default 29 days before to"`
	To    string   `query:"to" json:"-" len:"10" refuse:"INVALID_REQUEST" doc:"the last day, inclusive; by default today in the shop's time zone"`
	Group grouping `query:"group" json:"-" doc:"the step of the series; weeks begin on Monday; by default day"`
}

// period is a range of days, both ends included.
type period struct{ from, to shop.Day }

func (p period) days() int { return int(p.to-p.from) + 1 }

// before returns the preceding period of the same length.
func (p period) before() period { return period{p.from - shop.Day(p.days()), p.from - 1} }

// period parses the days of a request; today is the current day of the shop.
func (in statsRequest) period(today shop.Day) (p period, err error) {
	p.to = today
	ok := true
	if in.To != "" {
		if p.to, ok = shop.ParseDay(in.To); !ok {
			return p, errDates
		}
	}
	p.from = p.to - defaultDays + 1
	if in.From != "" {
		if p.from, ok = shop.ParseDay(in.From); !ok {
			return p, errDates
		}
	}
	if p.from > p.to || p.days() > maxDays || p.from < firstDay || p.to > lastDay {
		return p, errDates
	}
	return p, nil
}

// steps maps a grouping to a function that returns the first day of a day's group.
var steps = map[grouping]func(shop.Day) shop.Day{
	"": func(d shop.Day) shop.Day { return d }, "day": func(d shop.Day) shop.Day { return d }, "week": shop.Day.Week, "month": shop.Day.Month,
}

type grouping string

// Values lists the groupings.
func (grouping) Values() []string { return shop.Texts(slices.Sorted(maps.Keys(steps))[1:]) }

func (ss *Stats) stats(ctx context.Context, c *api.Call, in statsRequest) (out api.Result[statsView], err error) {
	step, ok := steps[in.Group]
	if !ok {
		return out, errGroup
	}
	err = ss.Store.Snapshot(ctx, c.Company, func(r store.Reader) error {
		company, err := company.Info(ctx, r)
		if err != nil {
			return err
		}
		p, err := in.period(shop.DayOf(ss.Now(), shop.Clock(company.Timezone)))
		if err != nil {
			return err
		}
		visits, lists, err := visit.List(ctx, r, p.before().from, p.to, p.from)
		if err != nil {
			return err
		}
		sales, err := salesdb.Sales(ctx, r, p.before().from, p.to)
		if err != nil {
			return err
		}
		products, err := salesdb.TopProducts(ctx, r, p.from, p.to, company.Currency, topLimit)
		if err != nil {
			return err
		}
		reminded, err := salesdb.Reminded(ctx, r, p.from, p.to, company.Currency)
		if err != nil {
			return err
		}
		before, err := salesdb.Reminded(ctx, r, p.before().from, p.before().to, company.Currency)
		if err != nil {
			return err
		}
		assisted, err := salesdb.AssistedSales(ctx, r, p.before().from, p.from, p.to, company.Currency)
		if err != nil {
			return err
		}
		out.Result = viewOf(p, step, company.Currency, visits, sales)
		out.Result.addReminders(reminded, before)
		out.Result.addAssistants(assisted)
		out.Result.addProducts(products)
		out.Result.addLists(&lists)
		return nil
	})
	return out, err
}
