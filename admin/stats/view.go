package stats

import (
	"math"

	"vitrine/internal/shop"
	"vitrine/internal/store/assist"
	salesdb "vitrine/internal/store/sales"
	"vitrine/internal/store/visit"
	"vitrine/internal/visitstats"
)

// totals are the sums of a period.
type totals struct {
	Visits       int64   `json:"visits" doc:"daily visitors: a person who visits on two days counts twice"`
	PageViews    int64   `json:"page_views"`
	Orders       int64   `json:"orders" doc:"without cancelled orders"`
	Revenue      int64   `json:"revenue" doc:"sum of items_total of these orders, in the shop's currency"`
	AverageOrder int64   `json:"average_order" doc:"revenue per order, rounded"`
	Reminders    int64   `json:"reminders" doc:"letters about carts that were left"`
	Recovered    int64   `json:"recovered_orders" doc:"orders after such a letter, without cancelled ones"`
	RecoveredSum int64   `json:"recovered_revenue" doc:"sum of items_total of these orders, in the shop's currency"`
	Assisted     int64   `json:"assistant_orders" doc:"orders through assistants, without cancelled ones"`
	AssistedSum  int64   `json:"assistant_revenue" doc:"sum of items_total of these orders, in the shop's currency"`
	Conversion   float64 `json:"conversion" doc:"orders per visit, to four decimals; 0 without visits"`

	priced int64 // number of orders in the shop's currency
}

// finish computes the derived values.
func (t *totals) finish() {
	if t.priced > 0 {
		t.AverageOrder = (t.Revenue + t.priced/2) / t.priced
	}
	if t.Visits > 0 {
		t.Conversion = math.Round(float64(t.Orders)/float64(t.Visits)*1e4) / 1e4
	}
}

type previousView struct {
	From string `json:"from"`
	To   string `json:"to"`
	totals
}

type pointView struct {
	Date      string `json:"date" doc:"the day, the Monday of the week or the first of the month, which may be before from"`
	Visits    int64  `json:"visits"`
	PageViews int64  `json:"page_views"`
	Orders    int64  `json:"orders"`
	Revenue   int64  `json:"revenue"`
}

type assistantView struct {
	PlatformID shop.Int64      `json:"platform_id" doc:"in GET /v1/shop/assistants"`
	Protocol   assist.Protocol `json:"protocol"`
	Name       string          `json:"name" doc:"the address of its profile (ucp), or the name of its token (acp)"`
	Orders     int64           `json:"orders"`
	Revenue    int64           `json:"revenue"`
}

type productView struct {
	ProductID shop.ProductID `json:"product_id"`
	Name      string         `json:"name" doc:"the current name"`
	Quantity  int64          `json:"quantity"`
	Revenue   int64          `json:"revenue" doc:"discounts of a whole order are distributed over its lines"`
}

type pageView struct {
	Path  string `json:"path"`
	Views int64  `json:"views"`
}

type referrerView struct {
	Host   string `json:"host"`
	Visits int64  `json:"visits"`
}

type searchView struct {
	Query string `json:"query"`
	Count int64  `json:"count"`
}

type missingView struct {
	Path string `json:"path"`
	Hits int64  `json:"hits"`
}

type campaignView struct {
	Source   string `json:"source"`
	Medium   string `json:"medium"`
	Campaign string `json:"campaign"`
	Visits   int64  `json:"visits"`
}

type currencyView struct {
	Currency string `json:"currency"`
	Orders   int64  `json:"orders"`
	Revenue  int64  `json:"revenue"`
}

type statsView struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Currency string `json:"currency" doc:"the currency of revenue"`
	totals
	Previous    previousView    `json:"previous" doc:"the preceding period of the same length"`
	Series      []pointView     `json:"series"`
	TopProducts []productView   `json:"top_products" doc:"by revenue, at most 50"`
	Assistants  []assistantView `json:"assistants" doc:"through which people bought in the period, by revenue"`
	TopPages    []pageView      `json:"top_pages" doc:"at most 50, like all lists"`
	Referrers   []referrerView  `json:"referrers" doc:"hosts that visitors came from"`
	Searches    []searchView    `json:"searches" doc:"searches without results"`
	NotFound    []missingView   `json:"not_found" doc:"paths that returned 404"`
	Campaigns   []campaignView  `json:"campaigns" doc:"by utm_source, utm_medium and utm_campaign"`
	Others      []currencyView  `json:"other_currencies" doc:"orders in a former currency of the shop: counted in orders, not in revenue"`
}

// viewOf sums the days of a period and of the preceding one.
func viewOf(p period, step func(shop.Day) shop.Day, currency string, visits []visit.Visits, sales []salesdb.Sale) (out statsView) {
	before := p.before()
	out = statsView{From: p.from.String(), To: p.to.String(), Currency: currency, Others: []currencyView{}}
	out.Previous.From, out.Previous.To = before.from.String(), before.to.String()
	place := map[shop.Day]int{}
	for d := p.from; d <= p.to; d++ {
		first := step(d)
		if _, there := place[first]; !there {
			place[first] = len(out.Series)
			out.Series = append(out.Series, pointView{Date: first.String()})
		}
	}
	for _, v := range visits {
		sum := &out.Previous.totals
		if v.Day >= p.from {
			sum = &out.totals
			point := &out.Series[place[step(v.Day)]]
			point.Visits += v.Visits
			point.PageViews += v.Views
		}
		sum.Visits += v.Visits
		sum.PageViews += v.Views
	}
	others := map[string]int{}
	for _, s := range sales {
		sum, now := &out.Previous.totals, s.Day >= p.from
		if now {
			sum = &out.totals
			out.Series[place[step(s.Day)]].Orders += s.Orders
		}
		sum.Orders += s.Orders
		switch {
		case s.Currency == currency:
			sum.priced += s.Orders
			sum.Revenue += s.Revenue
			if now {
				out.Series[place[step(s.Day)]].Revenue += s.Revenue
			}
		case now:
			if _, there := others[s.Currency]; !there {
				others[s.Currency] = len(out.Others)
				out.Others = append(out.Others, currencyView{Currency: s.Currency})
			}
			other := &out.Others[others[s.Currency]]
			other.Orders += s.Orders
			other.Revenue += s.Revenue
		}
	}
	out.totals.finish()
	out.Previous.finish()
	return out
}

// addReminders adds the results of reminders in the period and in the preceding one.
func (v *statsView) addReminders(now, before salesdb.ReminderResults) {
	v.Reminders, v.Recovered, v.RecoveredSum = now.Sent, now.Orders, now.Revenue
	v.Previous.Reminders, v.Previous.Recovered, v.Previous.RecoveredSum = before.Sent, before.Orders, before.Revenue
}

// addAssistants adds what was sold through assistants in the period and in the preceding one.
func (v *statsView) addAssistants(list []salesdb.Assisted) {
	v.Assistants = []assistantView{}
	for _, a := range list {
		v.Assisted += a.Orders
		v.AssistedSum += a.Revenue
		v.Previous.Assisted += a.OrdersBefore
		v.Previous.AssistedSum += a.RevenueBefore
		if a.Orders > 0 && len(v.Assistants) < topLimit {
			v.Assistants = append(v.Assistants, assistantView{shop.Int64(a.Platform), assist.Protocol(a.Protocol), a.Name, a.Orders, a.Revenue})
		}
	}
}

func (v *statsView) addProducts(list []salesdb.SoldProduct) {
	v.TopProducts = []productView{}
	for _, p := range list {
		v.TopProducts = append(v.TopProducts, productView{ProductID: p.Product, Name: p.Name, Quantity: p.Quantity, Revenue: p.Revenue})
	}
}

func (v *statsView) addLists(l *visitstats.Lists) {
	v.TopPages = top(l.Pages, func(e visitstats.Entry) pageView { return pageView{e.Name, e.Count} })
	v.Referrers = top(l.Referrers, func(e visitstats.Entry) referrerView { return referrerView{e.Name, e.Count} })
	v.Searches = top(l.Searches, func(e visitstats.Entry) searchView { return searchView{e.Name, e.Count} })
	v.NotFound = top(l.Missing, func(e visitstats.Entry) missingView { return missingView{e.Name, e.Count} })
	v.Campaigns = top(l.Campaigns, func(e visitstats.Entry) campaignView {
		c := visitstats.CampaignOf(e.Name)
		return campaignView{c.Source, c.Medium, c.Campaign, e.Count}
	})
}

// top returns the first entries of a list; it never returns nil.
func top[V any](l visitstats.List, view func(visitstats.Entry) V) []V {
	out := []V{}
	for _, e := range l.Top(topLimit) {
		out = append(out, view(e))
	}
	return out
}
