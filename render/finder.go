package render

import (
	"net/url"
	"strconv"
)

// Finder is what a list of products can be narrowed by and how it is ordered. It stands
// beside the list as a form, which works without a script, and all of it is in the
// address (Narrowing).
type Finder struct {
	Path    string // of the page that shows the list
	Words   string // that are looked for on it
	Choices Choices

	Facets            []Facet // attributes
	Low, High         int64   // prices of the list, as if it had no bounds; equal: none can be set
	InStock, Reduced  int     // how many would be left
	Total             int     // products that are left
	Searched, Ordered bool    // the list is what a search found; it has an order to choose
}

// Facet is one attribute that a list can be narrowed by.
type Facet struct {
	Pick     // what is chosen of it
	Label    string
	Unit     string
	Options  []FacetOption // of an attribute with options
	From, To string        // the least and the largest of its numbers
}

// FacetOption is an option with how many products it would leave.
type FacetOption struct {
	Value, Label string
	Count        int
	Chosen       bool
}

// Narrows reports whether there is anything to choose but the order.
func (f *Finder) Narrows() bool {
	return len(f.Facets) > 0 || f.Priced() || f.Stocked() || f.Cheaper() || f.Choices.Narrows()
}

// Priced reports whether prices can be bounded.
func (f *Finder) Priced() bool {
	return f.Low < f.High || f.Choices.MinPrice != "" || f.Choices.MaxPrice != ""
}

// Stocked reports whether asking for what is in stock makes a difference.
func (f *Finder) Stocked() bool {
	return f.Choices.InStock || f.InStock > 0 && f.InStock < f.Total
}

// Cheaper reports whether asking for what is reduced makes one.
func (f *Finder) Cheaper() bool {
	return f.Choices.Reduced || f.Reduced > 0 && f.Reduced < f.Total
}

// address is a path with what is looked for, how the list is narrowed, and its page.
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

// ListAddress is the address of a list, narrowed.
func ListAddress(path string, n Narrowing) string { return address(path, "", n, 1) }

// to is the list as other choices would leave it.
func (f *Finder) to(c Choices) string { return address(f.Path, f.Words, c.Narrowing(), 1) }

// Whole is the address of the list with nothing taken out.
func (f *Finder) Whole() string { return f.to(Choices{Sort: f.Choices.Sort}) }

// Chip is one thing that is chosen, and where it is not.
type Chip struct{ Label, Path string }

// finderView is what the templates of find.html see: the page's view and the finder.
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

// Chips are what is chosen, each with the way to take it out.
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

// Sorting is an order that the list may have.
type Sorting struct {
	Name, Path string
	Current    bool
}

// Orders are those that the list can have, the usual one first.
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

// Order is what the list is ordered by now.
func (v *finderView) Order() string {
	for _, o := range v.Orders() {
		if o.Current {
			return o.Name
		}
	}
	return ""
}

// Least and Most are the prices between which bounds make a difference, as they are
// typed.
func (v *finderView) Least() string { return amount(v.Low, v.Shop.Digits) }

// Most is described at Least.
func (v *finderView) Most() string { return amount(v.High, v.Shop.Digits) }

// MinPrice and MaxPrice are the bounds that were chosen, as prices are typed; empty: none.
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

// amount is a price as it is typed: 14.50.
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

// CurrencySign is how the shop's money is written.
func (v *finderView) CurrencySign() string {
	return orElse(signOf(v.Shop.Currency).text, v.Shop.Currency)
}
