package render

import (
	"cmp"
	"net/url"
	"strconv"
)

// Finder is the filters and the order of a list of products. It is drawn beside the list as a
// form, which works without a script; its whole state is in the address (Narrowing).
type Finder struct {
	Path    string // of the page that shows the list
	Words   string // the words searched for on it
	Choices Choices

	Facets            []Facet // attributes
	Low, High         int64   // the price range of the unfiltered list; equal: prices cannot be bounded
	InStock, Reduced  int     // how many products each filter would leave
	Total             int     // products that match
	Searched, Ordered bool    // the list is a search result; its order can be chosen
}

// Facet is one attribute that a list can be filtered by.
type Facet struct {
	Pick     // the values chosen of it
	Label    string
	Unit     string
	Options  []FacetOption // of an attribute with options
	From, To string        // its smallest and largest number
}

// FacetOption is an option and the number of products it would leave.
type FacetOption struct {
	Value, Label string
	Count        int
	Chosen       bool
}

// Narrows reports whether there is any choice besides the order.
func (f *Finder) Narrows() bool {
	return len(f.Facets) > 0 || f.Priced() || f.Stocked() || f.Cheaper() || f.Choices.Narrows()
}

// Priced reports whether prices can be bounded.
func (f *Finder) Priced() bool {
	return f.Low < f.High || f.Choices.MinPrice != "" || f.Choices.MaxPrice != ""
}

// Stocked reports whether the filter "in stock" makes a difference.
func (f *Finder) Stocked() bool {
	return f.Choices.InStock || f.InStock > 0 && f.InStock < f.Total
}

// Cheaper reports whether the filter "reduced" makes a difference.
func (f *Finder) Cheaper() bool {
	return f.Choices.Reduced || f.Reduced > 0 && f.Reduced < f.Total
}

// address builds the address of a list from its path, search words, filters and page.
func address(path, words string, n Narrowing, page int) string {
	sep := byte('?')
	add := func(text string) {
		if text != "" {
			path, sep = path+string(sep)+text, '&'
		}
	}
	if words != "" {
		add(SearchName + "=" + url.QueryEscape(words))
	}
	add(string(n))
	if page > 1 {
		add("page=" + strconv.Itoa(page))
	}
	return path
}

// ListAddress is the address of a list with these filters.
func ListAddress(path string, n Narrowing) string { return address(path, "", n, 1) }

// to is the address of the list with other choices.
func (f *Finder) to(c Choices) string { return address(f.Path, f.Words, c.Narrowing(), 1) }

// Whole is the address of the list without any filter.
func (f *Finder) Whole() string { return f.to(Choices{Sort: f.Choices.Sort}) }

// Chip is one active filter and the address of the list without it.
type Chip struct{ Label, Path string }

// finderView is the data of the templates in search.html: the page's view and the finder.
type finderView struct {
	*view
	*Finder
}

// Finder is the finder of the grid.
func (g productGridView) Finder() *finderView {
	if g.Grid.Finder == nil {
		return nil
	}
	return &finderView{g.view, g.Grid.Finder}
}

// Chips lists the active filters, each with the address that removes it.
func (v *finderView) Chips() (chips []Chip) {
	c := v.Choices
	for i, p := range c.Picks {
		label := func(value string) string { return value }
		name := ""
		for _, f := range v.Facets {
			if f.Attribute != p.Attribute {
				continue
			}
			name = f.Label
			label = func(value string) string {
				for _, o := range f.Options {
					if o.Value == value {
						return o.Label
					}
				}
				return value
			}
		}
		for j, value := range p.Values {
			rest := c
			rest.Picks = append([]Pick(nil), c.Picks...)
			rest.Picks[i].Values = append(append([]string(nil), p.Values[:j]...), p.Values[j+1:]...)
			chips = append(chips, Chip{label(value), v.to(rest)})
		}
		if p.Min != "" || p.Max != "" {
			rest := c
			rest.Picks = append([]Pick(nil), c.Picks...)
			rest.Picks[i].Min, rest.Picks[i].Max = "", ""
			chips = append(chips, Chip{name + " " + v.T.Find.span(p.Min, p.Max), v.to(rest)})
		}
	}
	without := func(set bool, label string, change func(*Choices)) {
		if rest := c; set {
			change(&rest)
			chips = append(chips, Chip{label, v.to(rest)})
		}
	}
	without(c.MinPrice != "" || c.MaxPrice != "", v.T.Find.Price+" "+v.T.Find.span(v.MinPrice(), v.MaxPrice()), func(c *Choices) { c.MinPrice, c.MaxPrice = "", "" })
	without(c.InStock, v.T.Find.InStock, func(c *Choices) { c.InStock = false })
	without(c.Reduced, v.T.Find.Reduced, func(c *Choices) { c.Reduced = false })
	return chips
}

// Sorting is one possible order of the list.
type Sorting struct {
	Name, Path string
	Current    bool
}

// Orders lists the possible orders of the list, the default one first.
func (v *finderView) Orders() []Sorting {
	first := v.T.Find.Usual
	if v.Searched {
		first = v.T.Find.Match
	}
	orders := []Sorting{}
	for i, sort := range append([]string{""}, Sorts...) {
		c := v.Choices
		c.Sort = sort
		name := first
		if i > 0 {
			name = v.T.Find.sorts[sort]
		}
		orders = append(orders, Sorting{name, v.to(c), v.Choices.Sort == sort})
	}
	return orders
}

// Order is the name of the list's current order.
func (v *finderView) Order() string {
	for _, o := range v.Orders() {
		if o.Current {
			return o.Name
		}
	}
	return ""
}

// Least and Most are the limits of useful price bounds, formatted as they are typed.
func (v *finderView) Least() string { return amount(v.Low, v.Shop.Digits) }

// Most is described at Least.
func (v *finderView) Most() string { return amount(v.High, v.Shop.Digits) }

// MinPrice and MaxPrice are the chosen bounds, formatted as prices are typed; empty: none.
func (v *finderView) MinPrice() string {
	low, _ := v.Choices.Prices(v.Shop.Digits)
	return v.bound(low)
}

// MaxPrice is described at MinPrice.
func (v *finderView) MaxPrice() string {
	_, high := v.Choices.Prices(v.Shop.Digits)
	return v.bound(high)
}

func (v *finderView) bound(n *int64) string {
	if n == nil {
		return ""
	}
	return amount(*n, v.Shop.Digits)
}

// amount formats a price as it is typed: 14.50.
func amount(n int64, digits int) string {
	text := strconv.FormatInt(n, 10)
	if digits == 0 {
		return text
	}
	for len(text) <= digits {
		text = "0" + text
	}
	return text[:len(text)-digits] + "." + text[len(text)-digits:]
}

// CurrencySign is the sign of the shop's currency, or its code if it has none.
func (v *finderView) CurrencySign() string {
	return cmp.Or(signOf(v.Shop.Currency).text, v.Shop.Currency)
}
