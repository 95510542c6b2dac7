package render

import (
	"strconv"
	"strings"
)

// Option is a property that the variants of a product differ in, such as their size. It has
// its own picker on the product's page.
type Option struct {
	Name   string
	Values []OptionValue
}

// OptionValue is one value of an option, with its appearance if known.
type OptionValue struct {
	Name   string
	Swatch string // #rrggbb
	Image  Image
}

// pickerView is the data of a picker's template.
type pickerView struct {
	Option
	Number int    // index among the product's options, from 0
	Picked string // the selected value
	Links  []pickView
}

// pickView is one value to pick: a link to the variant that has this value and is nearest to
// the selected one. Without a script the link is followed, and the page is rendered with that
// variant.
type pickView struct {
	OptionValue
	Number int // index of the value, from 0
	Path   string
	On     bool // selected
	Amiss  bool // no variant combines it with the other selected values
	Out    bool // the variant of the link is sold out
}

// Pickers lists the options of the product for their template.
func (v *view) Pickers() (list []pickerView) {
	page, ok := v.Page.(*ProductPage)
	if !ok || len(page.Product.Options) == 0 || page.Product.Chosen >= len(page.Product.Variants) {
		return nil
	}
	p := &page.Product
	now := p.Variants[p.Chosen].At
	for k, option := range p.Options {
		picker := pickerView{Option: option, Number: k, Picked: option.Values[now[k]].Name}
		for n, value := range option.Values {
			to, fits := p.nearest(now, k, n)
			picker.Links = append(picker.Links, pickView{
				value, n, v.Path + "?variant=" + strconv.FormatInt(p.Variants[to].ID, 10), now[k] == n, !fits, p.ByVariant && p.Variants[to].Stock.SoldOut(),
			})
		}
		list = append(list, picker)
	}
	return list
}

// nearest is the variant with a value of one option that shares the most values with the
// selected variant; the first of several. It fits if it shares all other values. The script
// of the page selects in the same way (option.js).
func (p *Product) nearest(now []int, option, value int) (variant int, fits bool) {
	best := -1
	for i, v := range p.Variants {
		if v.At[option] != value {
			continue
		}
		same := 0
		for k := range now {
			if k != option && v.At[k] == now[k] {
				same++
			}
		}
		if same > best {
			variant, best = i, same
		}
	}
	return variant, best == len(now)-1
}

// leftView is the data of the template of a stock.
type leftView struct {
	*view
	Stock
}

// Left prepares a stock for its template.
func (v *view) Left(s Stock) leftView { return leftView{v, s} }

// Place is the variant's value indexes in the pickers, in the form read by the script: "0 2".
func (v Variant) Place() string {
	words := make([]string, len(v.At))
	for i, n := range v.At {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, " ")
}

// Siblings are products that belong together, such as a cup in several colours.
type Siblings struct {
	Name     string
	Products []Sibling // including the product itself
}

// Sibling is a product of a group.
type Sibling struct {
	Name    string
	Path    string
	Image   Image // may be empty
	Current bool  // the product of this page
}

// Terms are the shop's terms of delivery and returns.
type Terms struct {
	Ways              []DeliveryOption
	Delivery, Returns string // plain text; empty lines start paragraphs
}

// Delivers reports whether there are terms of delivery.
func (t Terms) Delivers() bool { return t.Delivery != "" || len(t.Ways) > 0 }

// levelView is the data of one row in the template of prices by quantity.
type levelView struct{ From, Price string }

// Levels lists prices by quantity for their template.
func (v *view) Levels(list []PriceLevel) (out []levelView) {
	for _, l := range list {
		out = append(out, levelView{v.T.Buy.FromUnits(l.From), v.Money(l.Price)})
	}
	return out
}
