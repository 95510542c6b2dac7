package catalog

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// cellReader makes of the cells of a line the item of a request. The first fault
// stays.
type cellReader struct {
	sheet
	cells map[string]string // those that say something new
	now   entry             // the product that is edited
	fault error
}

// item is what the cells say of a product, and its variants, nil when they are
// not spoken of.
func (r *cellReader) item() (i ProductItem, variants []variantItem, err error) {
	for _, c := range csvColumns {
		if c.read != nil {
			c.read(r, &i)
		}
	}
	r.readAttributes(&i)
	variants = r.readVariants()
	return i, variants, r.fault
}

func (r *cellReader) fail(column, reason string) {
	if r.fault == nil {
		r.fault = errImportCell.With(column + ": " + reason)
	}
}

// cellBounds are how long the texts and lists of cells may be: as those of the
// fields that they fill.
var cellBounds = api.Bounds[ProductItem]()

// bounded is the bound of a column and whether it has one.
func bounded(column string) (api.Bound, bool) {
	b, ok := cellBounds[column]
	if !ok {
		b, ok = cellBounds["seo."+column]
	}
	return b, ok
}

// hold refuses a cell that goes beyond a bound.
func (r *cellReader) hold(err error) {
	if r.fault == nil {
		r.fault = err
	}
}

// text is a cell of the CSV, nil without one.
func (r *cellReader) text(column string) *string {
	cell, ok := r.cells[column]
	if !ok {
		return nil
	}
	if b, ok := bounded(column); ok {
		r.hold(b.Check(column, cell, productErrors))
	}
	return &cell
}

// filled is a cell that is not empty.
func (r *cellReader) filled(column string) *string {
	cell := r.text(column)
	if cell == nil || strings.TrimSpace(*cell) == "" {
		return nil
	}
	trimmed := strings.TrimSpace(*cell)
	return &trimmed
}

func (r *cellReader) list(column string) *[]string {
	cell, ok := r.cells[column]
	if !ok {
		return nil
	}
	b, _ := bounded(column)
	if strings.Count(cell, "|") >= 2*b.Max { // twice: some may be escaped or part nothing
		r.hold(b.CheckCount(column, 2*b.Max, productErrors))
		return nil
	}
	list := parted(cell)
	r.hold(b.CheckCount(column, len(list), productErrors))
	for _, entry := range list {
		r.hold(b.Check(column, entry, productErrors))
	}
	return &list
}

func (r *cellReader) flag(column string) *bool {
	cell := r.filled(column)
	if cell == nil {
		return nil
	}
	b, err := strconv.ParseBool(strings.ToLower(*cell))
	if err != nil {
		r.fail(column, "true or false")
	}
	return &b
}

func (r *cellReader) number(column string) *int64 {
	cell := r.filled(column)
	if cell == nil {
		return nil
	}
	n, err := strconv.ParseInt(*cell, 10, 64)
	if err != nil {
		r.fail(column, "a whole number")
	}
	return &n
}

// count is a number that is checked later; what no int holds is out of range for
// certain.
func (r *cellReader) count(column string) *int {
	n := r.number(column)
	if n == nil {
		return nil
	}
	count := int(min(max(*n, -1), maxStock+1))
	return &count
}

// time reads a date as in RFC 3339; an empty cell clears it.
func (r *cellReader) time(column string) (at optionalTime) {
	cell := r.text(column)
	if cell == nil {
		return at
	}
	if at.Set = true; strings.TrimSpace(*cell) == "" {
		return at
	}
	read, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(*cell))
	if err != nil {
		r.fail(column, "a date is written as in RFC 3339, as 2026-05-01T09:00:00Z")
	}
	at.At = &read
	return at
}

func (r *cellReader) uuid(column, text string) uuid.UUID {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != 36 {
		r.fail(column, "the id of a file is a UUID")
	}
	return id
}

func (r *cellReader) file(column string) (id optionalID) {
	if cell := r.text(column); cell != nil {
		id.Set = true
		if text := strings.TrimSpace(*cell); text != "" {
			file := r.uuid(column, text)
			id.ID = &file
		}
	}
	return id
}

func (r *cellReader) gallery(i *ProductItem) {
	if ids := r.list("gallery"); ids != nil {
		gallery := []fileRef{}
		for _, text := range *ids {
			gallery = append(gallery, fileRef{ID: r.uuid("gallery", text)})
		}
		i.Gallery = &gallery
	}
}

func (r *cellReader) price(i *ProductItem) {
	price, old := r.number("price"), r.number("old_price")
	if _, given := r.cells["old_price"]; given && old == nil {
		old = new(int64)
	}
	if price != nil || old != nil {
		i.Price = &priceItem{Price: price, OldPrice: old}
	}
}

func (r *cellReader) readSections(i *ProductItem) {
	if cell := r.text("category"); cell != nil {
		id := r.section("category", strings.TrimSpace(*cell))
		i.CategoryID = &id
	}
	if slugs := r.list("categories"); slugs != nil {
		i.CategoriesReplace = true
		for _, slug := range *slugs {
			i.Categories = append(i.Categories, r.section("categories", slug))
		}
	}
}

func (r *cellReader) section(column, slug string) shop.CategoryID {
	id := r.sections[slug]
	if id == 0 && slug != "" {
		r.fail(column, "no section has the slug "+slug)
	}
	return id
}

// seo is what the product has with the cells over it: an item replaces it whole.
func (r *cellReader) seo(i *ProductItem) {
	now := r.now.product.SEO
	seo := seoItem{SEO: now, OGImageID: optionalID{Set: true, ID: now.OGImageID}}
	spoken := false
	for _, c := range []struct {
		column string
		field  *string
	}{
		{"page_title", &seo.PageTitle}, {"meta_title", &seo.MetaTitle}, {"meta_description", &seo.MetaDescription}, {"og_image_url", &seo.OGImageURL},
	} {
		cell := r.text(c.column)
		set(c.field, cell)
		spoken = spoken || cell != nil
	}
	slug, noindex, nofollow, keywords := r.filled("slug"), r.flag("noindex"), r.flag("nofollow"), r.list("meta_keywords")
	set(&seo.Slug, slug)
	set(&seo.NoIndex, noindex)
	set(&seo.NoFollow, nofollow)
	set(&seo.MetaKeywords, keywords)
	twins := r.twins("alternates")
	set(&seo.Twins, twins)
	image := r.file("og_image_id")
	if image.Set {
		seo.OGImageID = image
	}
	if spoken || slug != nil || noindex != nil || nofollow != nil || keywords != nil || twins != nil || image.Set {
		i.SEO = &seo
	}
}

// readAttributes lays the cells over the values that the product has: an item
// replaces all of them.
func (r *cellReader) readAttributes(i *ProductItem) {
	items, spoken := []attributeValueItem{}, false
	for _, a := range r.attributes {
		cell := r.text(attributeColumn + a.Name)
		if cell != nil {
			spoken = true
			items = append(items, r.attribute(a, *cell))
		} else if at := slices.IndexFunc(r.now.values, func(v store.AttributeValue) bool { return v.Attribute == a.ID }); at >= 0 {
			v := r.now.values[at]
			items = append(items, attributeValueItem{AttributeID: a.ID, OptionIDs: v.Options, Number: v.Number, Text: v.Text})
		}
	}
	if spoken {
		i.Attributes = &items
	}
}

// attribute reads a cell by the kind of its attribute. An option is written by
// its value or, where only one has it, by its label; a number may have a decimal
// comma, as spreadsheets write it in many countries.
func (r *cellReader) attribute(a store.Attribute, cell string) attributeValueItem {
	item := attributeValueItem{AttributeID: a.ID}
	switch a.Kind {
	case store.AttributeText:
		item.Text = cell
	case store.AttributeNumber:
		text := strings.TrimSpace(cell)
		if strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
			text = strings.Replace(text, ",", ".", 1)
		}
		if text != "" {
			n, err := strconv.ParseFloat(text, 64)
			if err != nil {
				r.fail(attributeColumn+a.Name, "a number")
			}
			item.Number = &n
		}
	default:
		for _, text := range parted(cell) {
			item.OptionIDs = append(item.OptionIDs, r.option(a, text))
		}
	}
	return item
}

func (r *cellReader) option(a store.Attribute, text string) (id store.OptionID) {
	labelled := 0
	for _, o := range a.Options {
		if o.Value == text {
			return o.ID
		}
		if strings.EqualFold(o.Label, text) {
			id = o.ID
			labelled++
		}
	}
	if labelled != 1 {
		r.fail(attributeColumn+a.Name, "no option, or more than one, is "+text)
	}
	return id
}

// readVariants reads the sets; an id that the product does not have is one of
// another shop and means nothing here.
func (r *cellReader) readVariants() []variantItem {
	cell := r.text("variants")
	if cell == nil {
		return nil
	}
	items := []variantItem{}
	if strings.TrimSpace(*cell) == "" {
		return items
	}
	var in variantsRequest
	err := api.Decode([]byte(`{"items":`+*cell+`}`), &in, variantErrors)
	if refusal, ok := shop.AsRefusal(err); ok {
		r.hold(refusal)
		return nil
	}
	if items = in.Items; err != nil || items == nil {
		r.fail("variants", "a JSON list of variant sets")
		return nil
	}
	for i := range items {
		if !slices.ContainsFunc(r.now.variants, func(v store.Variant) bool { return v.ID == items[i].ID }) {
			items[i].ID = 0
		}
	}
	return items
}
