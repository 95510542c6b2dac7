package movein

import (
	"slices"
	"strings"

	"vitrine/internal/shop"
)

// Limits of a plan.
const (
	maxProducts = 200_000
	maxVariants = 500 // of a product, as the shop has it
	maxHeld     = 2_000_000
	maxPictures = 250 // of a product
	maxOptions  = 20
	maxSections = 100 // of a product
	maxTags     = 64
	maxAttrs    = 100
)

// engine collects the rows of all files into products.
type engine struct {
	report
	plan  *Plan
	shop  Shop
	texts *texts

	format   *format
	drafts   []*draft // in the order of their first rows
	heads    []*draft // those with a row of their own, in the order of these
	byGroup  map[string]*draft
	alias    map[string]*draft // other references to a product: id:5, sku:A-1
	last     string            // group of the last row that began a product
	held     int               // variants of all drafts
	sections map[string]int
	folders  map[string]folder // sections that products name by their number
	children map[string]option // rows that a product elsewhere lists as its variants, by sku
	counted  map[string]int    // stock of variants that another file counts
	skus     map[string]bool
	keys     map[string]bool
	repeats  map[string]int // of names without a handle and a sku
	emails   map[string]bool
}

// folder is a section of a table of sections.
type folder struct{ parent, name, slug string }

// draft is a product while its rows are read.
type draft struct {
	*Product
	group    string
	hasHead  bool
	closed   bool // its axes only complete its variants
	handle   string
	id       string
	listed   string   // of its variants
	labels   string   // of the options in that list
	page     string   // of the old shop
	pages    []string // addresses of its pages there
	price    *int64
	off      discount
	options  []option
	labelled []string // names of its options, by number
	axes     []axis   // options whose values combine freely
	pictures []placed
	named    []string // numbers or paths of sections
}

// option is a variant while its rows are read.
type option struct {
	Variant
	names  []string // beside Values
	impact *int64
	place  Place
}

// axis is an option of a product and its values.
type axis struct {
	name   string
	values []axisValue
}

type axisValue struct {
	text   string
	impact int64
	stock  *int
	sku    string
}

type placed struct {
	Picture
	position int
}

func newEngine(p *Plan, to Shop, choices map[string]string, spool Spool) *engine {
	return &engine{
		plan: p, shop: to, texts: newTexts(spool), report: report{choices: choices, lossOf: map[string]int{}},
		byGroup: map[string]*draft{}, alias: map[string]*draft{}, sections: map[string]int{}, folders: map[string]folder{}, children: map[string]option{},
		counted: map[string]int{}, skus: map[string]bool{}, keys: map[string]bool{}, repeats: map[string]int{}, emails: map[string]bool{},
	}
}

// add adds a row.
func (e *engine) add(f *format, r *row) {
	group, what := f.shape(e, r)
	if what == nothing || group == "" {
		return
	}
	d := e.byGroup[group]
	if d == nil {
		if len(e.byGroup) >= maxProducts {
			e.lose(r.Place, Skipped, "PRODUCTS_TOO_MANY", r.text[name])
			return
		}
		d = &draft{Product: &Product{}, group: group}
		d.Place = r.Place
		e.byGroup[group] = d
		e.drafts = append(e.drafts, d)
	}
	if what&head != 0 {
		e.last = group
		if !d.hasHead {
			e.head(f, d, r, what)
		}
	}
	if what&quantity != 0 {
		if n, ok := whole(r.text[stock]); ok {
			e.counted[countedKey(group, r.all(optionValue))] += n
		}
		return
	}
	if what&dimension != 0 {
		e.addDimension(d, r)
		return
	}
	if what&choice != 0 {
		if e.held++; e.held > maxHeld || len(d.options) > 2*maxVariants {
			e.lose(r.Place, Skipped, "VARIANTS_TOO_MANY", d.Name)
			return
		}
		d.options = append(d.options, e.option(f, r))
	}
	if one := code(r.text[address]); one != "" && len(d.pages) < maxVariants && !slices.Contains(d.pages, one) {
		d.pages = append(d.pages, one)
	}
	e.addPictures(f, d, r)
}

func countedKey(group string, values []string) string {
	return group + "\n" + strings.Join(slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" }), "\n")
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// option reads a variant.
func (e *engine) option(f *format, r *row) option {
	o := option{place: r.Place}
	o.SKU, o.GTIN = e.identifier(f, r.Place, r.text[sku]), e.barcode(f, r)
	now, old, base := e.prices(r, e.discount(r))
	if base != nil {
		o.Price = &now
		if old > 0 {
			o.OldPrice = &old
		}
	}
	if cell := code(r.text[impact]); cell != "" {
		if n, ok := e.difference(r.Place, r.text[impactSign]+cell); ok {
			o.impact = &n
		}
	}
	o.Stock = e.stock(r)
	o.WeightG = e.weight(f, r)
	o.Picture = e.address(f, r.Place, r.text[variantPicture])
	names, values := r.all(optionName), r.all(optionValue)
	for i := range max(len(names), len(values)) {
		o.add(at(names, i), at(values, i))
	}
	return o
}

// add adds the value of an option.
func (o *option) add(label, value string) {
	label, value = shop.Clip(line(unguard(label)), maxText), shop.Clip(line(unguard(value)), maxText)
	if len(o.names) >= maxOptions {
		return
	}
	o.names, o.Values = append(o.names, label), append(o.Values, value)
}

// at returns a cell of a repeated field, or "".
func at(cells []string, i int) string {
	if i >= len(cells) {
		return ""
	}
	return cells[i]
}
