package catalog

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/admin/api/body"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
)

// cellReader converts the cells of a line to the item of a request. It keeps the first fault.
type cellReader struct {
	sheet
	cells map[string]string // cells with changed values
	now   entry             // the product being edited
	fault error
}

// item returns the item with the fields of the cells, and the variants; variants is nil if the
// line has no such cell.
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

// cellBounds are the bounds of the texts and lists in cells: those of the corresponding fields.
var cellBounds = body.Bounds[ProductItem]()

// boundOf returns the bound of a column and whether it has one.
func boundOf(column string) (body.Bound, bool) {
	b, ok := cellBounds[column]
	if !ok {
		b, ok = cellBounds["seo."+column]
	}
	return b, ok
}

// setFault records an error unless there is one already.
func (r *cellReader) setFault(err error) {
	if r.fault == nil {
		r.fault = err
	}
}

// fit returns a text within its bound, and records an error if there is no such text.
func (r *cellReader) fit(b body.Bound, column, text string) string {
	text, err := b.Fit(column, text, productErrors)
	r.setFault(err)
	return text
}

// text returns a cell of the line, or nil if the column is missing.
func (r *cellReader) text(column string) *string {
	cell, ok := r.cells[column]
	if !ok {
		return nil
	}
	if b, ok := boundOf(column); ok {
		cell = r.fit(b, column, cell)
	}
	return &cell
}

// filled returns a trimmed cell, or nil if it is empty.
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
	b, _ := boundOf(column)
	if strings.Count(cell, "|") >= 2*b.Max { // twice: some may be escaped or separate empty entries
		r.setFault(b.CheckCount(column, 2*b.Max, productErrors))
		return nil
	}
	list := splitList(cell)
	r.setFault(b.CheckCount(column, len(list), productErrors))
	for i, entry := range list {
		list[i] = r.fit(b, column, entry)
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
		r.fail(column, "expected true or false")
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
		r.fail(column, "expected a whole number")
	}
	return &n
}

// count reads a number that is checked later. It clamps numbers outside the range of int to
// values that are out of range.
func (r *cellReader) count(column string) *int {
	n := r.number(column)
	if n == nil {
		return nil
	}
	count := int(min(max(*n, -1), maxStock+1))
	return &count
}

// time reads a date in RFC 3339; an empty cell clears it.
func (r *cellReader) time(column string) (at api.OptionalTime) {
	cell := r.text(column)
	if cell == nil {
		return at
	}
	if at.Set = true; strings.TrimSpace(*cell) == "" {
		return at
	}
	read, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(*cell))
	if err != nil {
		r.fail(column, "expected a date in RFC 3339, such as 2026-05-01T09:00:00Z")
	}
	at.At = &read
	return at
}

func (r *cellReader) uuid(column, text string) uuid.UUID {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != 36 {
		r.fail(column, "the id of a file must be a UUID")
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

// seo applies the cells to the current seo of the product, because an item replaces all of it.
func (r *cellReader) seo(i *ProductItem) {
	now := r.now.product.SEO
	seo := seoItem{SEO: now, OGImageID: optionalID{Set: true, ID: now.OGImageID}}
	given := false
	for _, c := range []struct {
		column string
		field  *string
	}{
		{"page_title", &seo.PageTitle}, {"meta_title", &seo.MetaTitle}, {"meta_description", &seo.MetaDescription}, {"og_image_url", &seo.OGImageURL},
	} {
		cell := r.text(c.column)
		api.Set(c.field, cell)
		given = given || cell != nil
	}
	slug, noindex, nofollow, keywords := r.filled("slug"), r.flag("noindex"), r.flag("nofollow"), r.list("meta_keywords")
	api.Set(&seo.Slug, slug)
	api.Set(&seo.NoIndex, noindex)
	api.Set(&seo.NoFollow, nofollow)
	api.Set(&seo.MetaKeywords, keywords)
	twins := r.twins("alternates")
	api.Set(&seo.Alternates, twins)
	image := r.file("og_image_id")
	if image.Set {
		seo.OGImageID = image
	}
	if given || slug != nil || noindex != nil || nofollow != nil || keywords != nil || twins != nil || image.Set {
		i.SEO = &seo
	}
}

// readAttributes applies the cells to the current values of the product, because an item
// replaces all of them.
func (r *cellReader) readAttributes(i *ProductItem) {
	items, given := []attributeValueItem{}, false
	for _, a := range r.attributes {
		cell := r.text(attributeColumn + a.Name)
		if cell != nil {
			given = true
			items = append(items, r.attribute(a, *cell))
		} else if at := slices.IndexFunc(r.now.values, func(v catalog.AttributeValue) bool { return v.Attribute == a.ID }); at >= 0 {
			v := r.now.values[at]
			items = append(items, attributeValueItem{AttributeID: a.ID, OptionIDs: v.Options, Number: v.Number, Text: v.Text})
		}
	}
	if given {
		i.Attributes = &items
	}
}

// attribute reads a cell according to the kind of its attribute. An option is named by its
// value or, if it is unique, by its label; a number may have a decimal comma, as spreadsheets
// write it in many countries.
func (r *cellReader) attribute(a catalog.Attribute, cell string) attributeValueItem {
	item := attributeValueItem{AttributeID: a.ID}
	switch a.Kind {
	case catalog.AttributeText:
		item.Text = cell
	case catalog.AttributeNumber:
		text := strings.TrimSpace(cell)
		if strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
			text = strings.Replace(text, ",", ".", 1)
		}
		if text != "" {
			n, err := strconv.ParseFloat(text, 64)
			if err != nil {
				r.fail(attributeColumn+a.Name, "expected a number")
			}
			item.Number = &n
		}
	default:
		for _, text := range splitList(cell) {
			item.OptionIDs = append(item.OptionIDs, r.option(a, text))
		}
	}
	return item
}

func (r *cellReader) option(a catalog.Attribute, text string) (id catalog.OptionID) {
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
		r.fail(attributeColumn+a.Name, "no option or more than one matches "+text)
	}
	return id
}

// readVariants reads the variant sets. An id that the product does not have comes from another
// shop and is ignored.
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
	err := body.Decode([]byte(`{"items":`+*cell+`}`), &in, variantErrors)
	if refusal, ok := shop.AsRefusal(err); ok {
		r.setFault(refusal)
		return nil
	}
	if items = in.Items; err != nil || items == nil {
		r.fail("variants", "expected a JSON list of variant sets")
		return nil
	}
	for i := range items {
		if !slices.ContainsFunc(r.now.variants, func(v catalog.Variant) bool { return v.ID == items[i].ID }) {
			items[i].ID = 0
		}
	}
	return items
}
