package render

import (
	"strconv"
	"strings"
)

// Option is one thing that variants of a product are choices of, such as their size:
// it has a picker of its own on the product's page.
type Option struct {
	Name   string
	Values []OptionValue
}

// OptionValue is one value of an option, with how it looks where that is known.
type OptionValue struct {
	Name   string
	Swatch string // #rrggbb
	Image  Image
}

// pickerView is what the template of a picker sees.
type pickerView struct {
	Option
	Number int    // among the product's, from 0
	Picked string // the value that is chosen
	Links  []pickView
}

// pickView is one value to pick: a link to the variant that has it and is nearest to
// the chosen one. Without a script the link is followed, and the page comes with
// that variant.
type pickView struct {
	OptionValue
	Number int // of the value, from 0
	Path   string
	On     bool // chosen
	Amiss  bool // no variant has it together with the other values that are chosen
}

// Pickers are the options of the product for their template.
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
				value, n, v.Path + "?variant=" + strconv.FormatInt(p.Variants[to].ID, 10), now[k] == n, !fits,
			})
		}
		list = append(list, picker)
	}
	return list
}

// nearest is the variant with a value of one option that has most in common with what
// is chosen; of several the first. It fits when it has all the rest in common. The
// script of the page chooses in the same way (option.js).
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

// Place is where a variant stands in the pickers, as the script reads it: "0 2".
func (v Variant) Place() string {
	words := make([]string, len(v.At))
	for i, n := range v.At {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, " ")
}

// Siblings are products that belong together, such as one cup in several colours.
type Siblings struct {
	Name     string
	Products []Sibling // the product itself among them
}

// Sibling is a product of a group.
type Sibling struct {
	Name    string
	Path    string
	Image   Image // may be empty
	Current bool  // whose page it is
}

// Terms are how a shop delivers and takes back.
type Terms struct {
	Ways              []DeliveryOption
	Delivery, Returns string // plain text; empty lines start paragraphs
}

// Delivers reports whether there is anything to say of delivery.
func (t Terms) Delivers() bool { return t.Delivery != "" || len(t.Ways) > 0 }

// levelView is what the template of prices by quantity prints of one.
type levelView struct{ From, Price string }

// Levels are prices by quantity for their template.
func (v *view) Levels(list []PriceLevel) (out []levelView) {
	for _, l := range list {
		out = append(out, levelView{v.T.Buy.FromUnits(l.From), v.Money(l.Price)})
	}
	return out
}
