package catalog

import (
	"strconv"
	"strings"

	"vitrine/internal/shop"
)

// The catalogue as CSV: one product per line, with a header line that names the columns.
// Importing an export changes nothing; cells with the current value are not checked.
//
// An import identifies a product by its sku, or by its id if the sku is empty or new; a line
// without a match adds a product. A missing column keeps its field. An empty cell keeps name,
// slug, price, kind and switches and clears every other field.
//
// A new column is an entry here, with functions that write the cell from a product and set
// fields of an item from the cell. read is nil if another entry reads the cell.
var csvColumns = []csvColumn{
	{"id", func(_ sheet, e entry) string { return e.product.ID.String() }, nil},
	{"sku", func(_ sheet, e entry) string { return e.product.SKU }, func(r *cellReader, i *ProductItem) { i.SKU = r.text("sku") }},
	{"gtin", func(_ sheet, e entry) string { return e.product.GTIN }, func(r *cellReader, i *ProductItem) { i.GTIN = r.text("gtin") }},
	{
		"weight_g", func(_ sheet, e entry) string { return countCell(e.product.WeightG) },
		func(r *cellReader, i *ProductItem) {
			i.WeightG = optionalWeight{Set: r.text("weight_g") != nil, Grams: r.count("weight_g")}
		},
	},
	{"brand", func(_ sheet, e entry) string { return e.product.Brand }, func(r *cellReader, i *ProductItem) { i.Brand = r.text("brand") }},
	{
		"country_of_origin", func(_ sheet, e entry) string { return e.product.CountryOfOrigin },
		func(r *cellReader, i *ProductItem) { i.CountryOfOrigin = r.text("country_of_origin") },
	},
	{"name", func(_ sheet, e entry) string { return e.product.Name }, func(r *cellReader, i *ProductItem) { i.Name = r.filled("name") }},
	{"slug", func(_ sheet, e entry) string { return e.product.SEO.Slug }, (*cellReader).seo},
	{"price", func(_ sheet, e entry) string { return strconv.FormatInt(e.product.Price, 10) }, (*cellReader).price},
	{"old_price", func(_ sheet, e entry) string { return strconv.FormatInt(e.product.OldPrice, 10) }, nil}, // read with price
	{"category", func(s sheet, e entry) string { return s.slugs[e.product.Category] }, (*cellReader).readSections},
	{"categories", func(s sheet, e entry) string { return s.additionalSlugs(e.product) }, nil}, // read with category
	{"tags", func(_ sheet, e entry) string { return joinList(e.product.Tags) }, func(r *cellReader, i *ProductItem) { i.Tags = r.list("tags") }},
	{"kind", func(_ sheet, e entry) string { return e.product.Kind }, func(r *cellReader, i *ProductItem) { i.Kind = (*productKind)(r.filled("kind")) }},
	{
		"tax_class", func(_ sheet, e entry) string { return string(e.product.TaxClass) },
		func(r *cellReader, i *ProductItem) {
			if class := r.filled("tax_class"); class != nil {
				i.TaxClass = new(shop.TaxClass(*class))
			}
		},
	},
	{
		"is_published", func(_ sheet, e entry) string { return strconv.FormatBool(e.product.IsPublished) },
		func(r *cellReader, i *ProductItem) { i.IsPublished = r.flag("is_published") },
	},
	{
		"published_at", func(_ sheet, e entry) string { return timeCell(e.product.PublishedAt) },
		func(r *cellReader, i *ProductItem) { i.PublishedAt = r.time("published_at") },
	},
	{
		"is_shared", func(_ sheet, e entry) string { return strconv.FormatBool(e.product.IsShared) },
		func(r *cellReader, i *ProductItem) { i.IsShared = r.flag("is_shared") },
	},
	{
		"catalog_hidden", func(_ sheet, e entry) string { return e.product.CatalogHidden },
		func(r *cellReader, i *ProductItem) { i.CatalogHidden = (*triState)(r.text("catalog_hidden")) },
	},
	{
		"comments_enabled", func(_ sheet, e entry) string { return e.product.CommentsEnabled },
		func(r *cellReader, i *ProductItem) { i.CommentsEnabled = (*triState)(r.text("comments_enabled")) },
	},
	{
		"questions_enabled", func(_ sheet, e entry) string { return e.product.QuestionsEnabled },
		func(r *cellReader, i *ProductItem) { i.QuestionsEnabled = (*triState)(r.text("questions_enabled")) },
	},
	{
		"stock_by", func(_ sheet, e entry) string { return string(e.product.StockBy) },
		func(r *cellReader, i *ProductItem) {
			if by := r.filled("stock_by"); by != nil {
				i.StockBy = new(shop.StockBy(*by))
			}
		},
	},
	{
		"stock_quantity", func(_ sheet, e entry) string { return countCell(e.product.StockQuantity) },
		func(r *cellReader, i *ProductItem) { i.StockQuantity = r.count("stock_quantity") },
	}, // only read for new products
	{
		"stock_low_threshold", func(_ sheet, e entry) string { return countCell(e.product.StockLowThreshold) },
		func(r *cellReader, i *ProductItem) {
			i.StockLowThreshold = optionalCount{Set: r.text("stock_low_threshold") != nil, Count: r.count("stock_low_threshold")}
		},
	},
	{
		"configurable", func(_ sheet, e entry) string { return optionalBool{Value: e.product.Configurable}.cell() },
		func(r *cellReader, i *ProductItem) {
			i.Configurable = optionalBool{Set: r.text("configurable") != nil, Value: r.flag("configurable")}
		},
	},
	{"page_title", func(_ sheet, e entry) string { return e.product.SEO.PageTitle }, nil}, // read with slug, like all seo columns
	{"meta_title", func(_ sheet, e entry) string { return e.product.SEO.MetaTitle }, nil},
	{"meta_description", func(_ sheet, e entry) string { return e.product.SEO.MetaDescription }, nil},
	{"meta_keywords", func(_ sheet, e entry) string { return joinList(e.product.SEO.MetaKeywords) }, nil},
	{"og_image_id", func(_ sheet, e entry) string { return fileCell(e.product.SEO.OGImageID, true) }, nil},
	{"og_image_url", func(_ sheet, e entry) string { return e.product.SEO.OGImageURL }, nil},
	{"noindex", func(_ sheet, e entry) string { return strconv.FormatBool(e.product.SEO.NoIndex) }, nil},
	{"nofollow", func(_ sheet, e entry) string { return strconv.FormatBool(e.product.SEO.NoFollow) }, nil},
	{"alternates", func(_ sheet, e entry) string { return twinsCell(e.product.SEO.Alternates) }, nil},
	{"gallery", func(_ sheet, e entry) string { return galleryCell(e.product.Gallery) }, (*cellReader).gallery},
	{
		"preview_id", func(_ sheet, e entry) string { return fileCell(e.product.PreviewID, e.product.PreviewPath != "") },
		func(r *cellReader, i *ProductItem) {
			i.PreviewID = r.file("preview_id")
			i.Preview.ID = i.PreviewID
		},
	},
	{"combo_items", func(_ sheet, e entry) string { return partsCell(e.product.Set) }, (*cellReader).parts},
	{"combo_discount", func(_ sheet, e entry) string { return discountCell(e.product) }, (*cellReader).discount},
	{"variants", func(_ sheet, e entry) string { return variantsCell(e.variants) }, nil}, // not part of an item
	{"description", func(_ sheet, e entry) string { return e.product.Description }, func(r *cellReader, i *ProductItem) { i.Description = r.text("description") }},
}

// csvColumn is a column that every shop has.
type csvColumn struct {
	name string
	cell func(s sheet, e entry) string
	read func(r *cellReader, i *ProductItem)
}

// attributeColumn is the prefix of columns of attributes; the name of the attribute follows.
// The cell is a number, a text, or a list of options by value or label.
const attributeColumn = "attribute:"

var listEscapes = strings.NewReplacer(`\`, `\\`, `|`, `\|`)

// joinList writes a list into one cell, separated by |. A backslash escapes |, itself, and
// spaces at either end of an entry.
func joinList(list []string) string {
	escaped := make([]string, len(list))
	for i, entry := range list {
		body := strings.TrimSpace(entry)
		at := strings.Index(entry, body)
		escaped[i] = escapeSpaces(entry[:at]) + listEscapes.Replace(body) + escapeSpaces(entry[at+len(body):])
	}
	return strings.Join(escaped, "|")
}

func escapeSpaces(space string) string {
	var b strings.Builder
	for _, r := range space {
		b.WriteByte('\\')
		b.WriteRune(r)
	}
	return b.String()
}

// splitList reads the list of a cell. It trims unescaped spaces around entries and leaves out
// empty entries.
func splitList(cell string) []string {
	list := []string{}
	var entry, space strings.Builder // space is pending: it is dropped at the end of an entry
	end := func() {
		if entry.Len() > 0 {
			list = append(list, entry.String())
		}
		entry.Reset()
		space.Reset()
	}
	escaped := false
	for _, r := range cell {
		switch {
		case !escaped && r == '\\':
			escaped = true
			continue
		case !escaped && r == '|':
			end()
			continue
		case !escaped && strings.TrimSpace(string(r)) == "":
			if entry.Len() > 0 {
				space.WriteRune(r)
			}
			continue
		}
		entry.WriteString(space.String())
		space.Reset()
		entry.WriteRune(r)
		escaped = false
	}
	end()
	return list
}
