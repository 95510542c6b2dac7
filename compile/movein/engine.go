package movein

import (
	"slices"
	"strings"

	"vitrine/internal/shop"
)

// Limits of a plan.
const (
	maxProducts = 200_000
	maxVariants = 500       // of a product, as the shop has it
	maxHeld     = 2_000_000 // of all products
	maxPictures = 250       // of a product
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
	spool *spool

	format   *format
	drafts   []*draft // in the order of their first rows
	heads    []*draft // those with a row of their own, in the order of these
	byGroup  map[string]*draft
	alias    map[string]*draft // other references to a product: id:5, sku:A-1
	last     string            // group of the last row that began a product
	current  *draft            // of the last row: what other rows added is in the spool
	held     int               // variants of all drafts
	sections map[string]int
	folders  map[string]folder // sections that products name by their number
	children map[string]child  // rows that a product elsewhere lists as its variants, by sku
	counted  map[string]int    // stock of variants that another file counts
	skus     set
	pictures set // addresses of the plan
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
	listed   kept     // of its variants
	labels   string   // of the options in that list
	page     string   // of the old shop
	pages    []string // addresses of its pages there
	price    *int64
	off      discount
	parts    []kept // what is in the spool of the product, its options and its pictures
	counted  int    // options in these
	name     string // of a product that is in the spool
	text     kept   // its description
	options  []option
	labelled []string // names of its options, by number
	axes     []axis   // options whose values combine freely
	pictures []placed
	named    []string // numbers or paths of sections
}

// option is a variant while its rows are read.
type option struct {
	Variant
	Names  []string // beside Values
	Impact *int64
	At     Place
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
	Position int
}

func newEngine(p *Plan, to Shop, choices map[string]string, file Spool) *engine {
	return &engine{
		plan: p, shop: to, spool: newSpool(file), report: report{choices: choices, lossOf: map[string]int{}},
		byGroup: map[string]*draft{}, alias: map[string]*draft{}, sections: map[string]int{}, folders: map[string]folder{}, children: map[string]child{},
		counted: map[string]int{}, skus: newSet(), pictures: newSet(), keys: map[string]bool{}, repeats: map[string]int{}, emails: map[string]bool{},
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
	if e.current != d {
		e.shelve(e.current)
		e.current = d
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
		if e.held++; e.held > maxHeld || d.counted+len(d.options) > 2*maxVariants {
			e.lose(r.Place, Skipped, "VARIANTS_TOO_MANY", d.title())
			return
		}
		d.options = append(d.options, e.option(f, r))
	}
	if one := code(r.text[address]); one != "" && len(d.pages) < maxVariants && !slices.Contains(d.pages, one) {
		d.pages = append(d.pages, one)
	}
	e.addPictures(f, d, r)
}

// part is what some of the rows of a product state.
type part struct {
	Product  *Product // nil: nothing
	Head     bool     // one of the rows was that of the product itself
	Options  []option
	Pictures []placed
}

// shelve moves what the rows of a draft state to the spool.
func (e *engine) shelve(d *draft) {
	if d == nil || d.Product == nil && len(d.options)+len(d.pictures) == 0 {
		return
	}
	if d.Product != nil {
		d.name, d.text = strings.Clone(d.Name), d.description
	}
	d.parts = append(d.parts, e.spool.keepValue(part{d.Product, d.hasHead, d.options, d.pictures}))
	d.counted += len(d.options)
	d.Product, d.options, d.pictures = nil, nil, nil
}

// unshelve takes it back.
func (e *engine) unshelve(d *draft) {
	for _, k := range d.parts {
		var p part
		if err := k.decode(&p); err != nil && e.wrong == nil {
			e.wrong = err
		}
		if p.Product != nil && (d.Product == nil || p.Head) {
			d.Product = p.Product
			d.description = d.text
		}
		d.options = append(d.options, p.Options...)
		for _, picture := range p.Pictures {
			e.addPicture(d, d.Place, picture)
		}
	}
	d.parts = nil
}

// title is the name of a draft.
func (d *draft) title() string {
	if d.Product == nil {
		return d.name
	}
	return d.Name
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
	o := option{At: r.Place}
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
			o.Impact = &n
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
	if len(o.Names) >= maxOptions {
		return
	}
	o.Names, o.Values = append(o.Names, label), append(o.Values, value)
}

// at returns a cell of a repeated field, or "".
func at(cells []string, i int) string {
	if i >= len(cells) {
		return ""
	}
	return cells[i]
}
