package catalog

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
)

const (
	maxParts      = 20   // parts of a combo
	maxPartsUnits = 9999 // units of one part
)

// comboPart is a part of a combo: a product or one of its variants, and the number of units
// (CONTRACT-COMMERCE, "Prices").
type comboPart struct {
	Product  shop.ProductID    `json:"product_id"`
	Variant  catalog.VariantID `json:"variant_id,omitempty"`
	Quantity int64             `json:"quantity"`
}

// comboDiscount is the discount of a combo on the sum of its parts.
type comboDiscount struct {
	Percent float64 `json:"percent" doc:"0 to 100, at most two decimals; 0 for none"`
}

// applyCombo sets the parts of a combo on a row and checks the result. A product that is no
// longer a combo loses its parts.
func (i ProductItem) applyCombo(p *catalog.Product, l links) error {
	if i.Discount != nil {
		points := i.Discount.Percent * 100
		if !(points >= 0 && points <= 10_000) || math.Abs(points-math.Round(points)) > 1e-6 {
			return catalog.ErrComboInvalid.At("combo_discount.percent").With("must be 0 to 100 with at most two decimals")
		}
		p.SetPercent = int64(math.Round(points))
	}
	if i.Parts == nil || len(*i.Parts) == 0 && (p.Kind != kindCombo || len(p.Set) == 0) { // unchanged, as a response shows it
		if p.Kind != kindCombo {
			p.Set = []catalog.SetComponent{}
		}
		if len(p.Set) == 0 {
			p.SetPercent = 0
		}
		return nil
	}
	if p.Kind != kindCombo {
		return catalog.ErrComboInvalid.At("combo_items").With("only a product of kind combo can have parts")
	}
	if n := len(*i.Parts); n < 1 || n > maxParts {
		return catalog.ErrComboInvalid.At("combo_items").With("must have 1 to 20 parts")
	}
	p.Set = make([]catalog.SetComponent, 0, len(*i.Parts))
	for at, part := range *i.Parts {
		if why := l.part(part, p.ID, p.Set); why != "" {
			return shop.AtEntry(catalog.ErrComboInvalid.With(why), "combo_items", at)
		}
		p.Set = append(p.Set, catalog.SetComponent{Product: part.Product, Variant: part.Variant, Quantity: part.Quantity})
	}
	return nil
}

// part returns the reason why a product cannot be in a combo with the other parts, or "".
func (l links) part(part comboPart, of shop.ProductID, beside []catalog.SetComponent) string {
	good := l.parts[part.Product]
	switch {
	case part.Quantity < 1 || part.Quantity > maxPartsUnits:
		return "quantity must be 1 to 9999"
	case good == nil || part.Product == of:
		return "product " + part.Product.String() + " does not exist or is the combo itself"
	case good.Kind == kindCombo:
		return "product " + part.Product.String() + " is a combo itself"
	case part.Variant != 0 && good.Variant(part.Variant) == nil:
		return "variant " + part.Variant.String() + " is not an active variant of product " + part.Product.String()
	case good.NeedsVariant(part.Variant):
		return "product " + part.Product.String() + " is counted by variant: name one of its active variants"
	case slices.ContainsFunc(beside, func(c catalog.SetComponent) bool { return c.Product == part.Product && c.Variant == part.Variant }):
		return "product " + part.Product.String() + " is a part already"
	}
	return ""
}

// viewParts converts the parts of a combo to the form of requests.
func viewParts(set []catalog.SetComponent) []comboPart {
	list := make([]comboPart, len(set))
	for i, c := range set {
		list[i] = comboPart{c.Product, c.Variant, c.Quantity}
	}
	return list
}

// partsCell writes the parts of a combo into a cell: 12*2|15/7*1 is two units of product 12 and
// one of variant 7 of product 15.
func partsCell(set []catalog.SetComponent) string {
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

// parts reads the cell with the parts of a combo; an empty cell is ignored.
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
		list = append(list, comboPart{shop.ProductID(id), catalog.VariantID(set), n})
	}
	i.Parts = &list
}

// discountCell writes the discount of a combo in percent.
func discountCell(p catalog.Product) string {
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
