package catalog

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

const (
	maxParts      = 20   // of a combo
	maxPartsUnits = 9999 // of one part
)

// comboPart is a component of a combo: a product, in one of its variants or as it
// comes, and how many of it (CONTRACT-COMMERCE, "Prices").
type comboPart struct {
	Product  shop.ProductID  `json:"product_id"`
	Variant  store.VariantID `json:"variant_id,omitempty"`
	Quantity int64           `json:"quantity"`
}

// comboDiscount is what a combo takes off the sum of its parts.
type comboDiscount struct {
	Percent float64 `json:"percent" doc:"0 to 100, at most two decimals; 0 for none"`
}

// applyCombo writes the parts of a combo over a row and checks the result. What is
// no combo any more has none.
func (i ProductItem) applyCombo(p *store.Product, l links) error {
	if i.Discount != nil {
		points := i.Discount.Percent * 100
		if !(points >= 0 && points <= 10_000) || math.Abs(points-math.Round(points)) > 1e-6 {
			return store.ErrComboInvalid.At("combo_discount.percent").With("0 to 100 with at most two decimals")
		}
		p.SetPercent = int64(math.Round(points))
	}
	if i.Parts == nil || len(*i.Parts) == 0 && (p.Kind != kindCombo || len(p.Set) == 0) { // as it was read
		if p.Kind != kindCombo {
			p.Set = []store.Component{}
		}
		if len(p.Set) == 0 {
			p.SetPercent = 0
		}
		return nil
	}
	if p.Kind != kindCombo {
		return store.ErrComboInvalid.At("combo_items").With("only a product of kind combo has them")
	}
	if n := len(*i.Parts); n < 1 || n > maxParts {
		return store.ErrComboInvalid.At("combo_items").With("1 to 20")
	}
	p.Set = make([]store.Component, 0, len(*i.Parts))
	for at, part := range *i.Parts {
		if why := l.part(part, p.ID, p.Set); why != "" {
			return shop.AtEntry(store.ErrComboInvalid.With(why), "combo_items", at)
		}
		p.Set = append(p.Set, store.Component{Product: part.Product, Variant: part.Variant, Quantity: part.Quantity})
	}
	return nil
}

// part says what keeps a product from being in a set beside others; empty: nothing.
func (l links) part(part comboPart, of shop.ProductID, beside []store.Component) string {
	good := l.parts[part.Product]
	switch {
	case part.Quantity < 1 || part.Quantity > maxPartsUnits:
		return "quantity is 1 to 9999"
	case good == nil || part.Product == of:
		return "product " + part.Product.String() + " is none of the other products"
	case good.Kind == kindCombo:
		return "product " + part.Product.String() + " is a combo itself"
	case part.Variant != 0 && good.Variant(part.Variant) == nil:
		return "variant " + part.Variant.String() + " is none that product " + part.Product.String() + " offers"
	case slices.ContainsFunc(beside, func(c store.Component) bool { return c.Product == part.Product && c.Variant == part.Variant }):
		return "product " + part.Product.String() + " is there already"
	}
	return ""
}

// viewParts shows a set as it is sent.
func viewParts(set []store.Component) []comboPart {
	list := make([]comboPart, len(set))
	for i, c := range set {
		list[i] = comboPart{c.Product, c.Variant, c.Quantity}
	}
	return list
}

// partsCell is a set in a cell: 12*2|15/7*1 is two of product 12 and one of product
// 15 in its variant 7.
func partsCell(set []store.Component) string {
	cells := make([]string, len(set))
	for i, c := range set {
		cells[i] = c.Product.String()
		if c.Variant != 0 {
			cells[i] += "/" + c.Variant.String()
		}
		cells[i] += "*" + strconv.FormatInt(c.Quantity, 10)
	}
	return strings.Join(cells, "|")
}

// parts reads the cell of a set; an empty one says nothing.
func (r *cellReader) parts(i *ProductItem) {
	text := r.text("combo_items")
	if text == nil || *text == "" {
		return
	}
	list := []comboPart{}
	for cell := range strings.SplitSeq(*text, "|") {
		named, units, counted := strings.Cut(strings.TrimSpace(cell), "*")
		product, variant, chosen := strings.Cut(named, "/")
		id, err := strconv.ParseInt(product, 10, 32)
		n, bad := int64(1), error(nil)
		if counted {
			n, bad = strconv.ParseInt(units, 10, 64)
		}
		var set int64
		var wrong error
		if chosen {
			set, wrong = strconv.ParseInt(variant, 10, 64)
		}
		if cmp.Or(err, bad, wrong) != nil {
			r.fail("combo_items", "expected product*quantity or product/variant*quantity, separated by |")
			return
		}
		list = append(list, comboPart{shop.ProductID(id), store.VariantID(set), n})
	}
	i.Parts = &list
}

// discountCell is what a set takes off, in percent.
func discountCell(p store.Product) string {
	if p.SetPercent == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(p.SetPercent)/100, 'f', -1, 64)
}

func (r *cellReader) discount(i *ProductItem) {
	text := r.text("combo_discount")
	if text == nil {
		return
	}
	i.Discount = &comboDiscount{}
	if *text == "" {
		return
	}
	percent, err := strconv.ParseFloat(*text, 64)
	if err != nil {
		r.fail("combo_discount", "expected a percentage")
		return
	}
	i.Discount.Percent = percent
}
