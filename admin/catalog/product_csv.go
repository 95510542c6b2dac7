package catalog

import (
	"regexp"
	"strings"
)

// The catalogue as CSV: one product a line, with a header line that names the
// columns. What is exported can be imported again and changes nothing; a cell
// that says what is so already is never looked at.
//
// An import knows a product by its sku, or by its id where the sku is empty or
// new; a line that means none adds one. A column that is left out leaves its
// field as it is. An empty cell leaves name, slug, price, kind and switches as
// they are and clears every other field.
var csvColumns = []string{
	"id",                 // number in this shop
	"sku",                // unique in the shop, empty for none
	"name",               //
	"slug",               // of the product's address
	"price", "old_price", // whole units of the shop's currency
	"category",                  // slug of the primary section
	"categories",                // slugs of further sections, a list
	"tags",                      // a list
	"kind",                      // standard, combo or multi
	"is_published", "is_shared", // true or false
	"catalog_hidden", "comments_enabled", "questions_enabled", // true, false or empty
	"stock_quantity", "stock_low_threshold", // the first of new products only; empty is not tracked, and a warning at zero alone
	"page_title", "meta_title", "meta_description", "meta_keywords", "og_image_id", "og_image_url", "noindex", "nofollow",
	"gallery", "preview_id", // ids of files, gallery a list
	"variants", // a JSON list as PUT /products/{id}/variants takes it
	"description",
}

// attributeColumn begins the name of the column of an attribute; its name
// follows. The cell is a number, a text, or a list of options by value or label.
const attributeColumn = "attribute:"

// formula is what a spreadsheet would run as one when it stands at the start of
// a cell, and what an apostrophe already guards.
var formula = regexp.MustCompile(`^'*[=+\-@\t\r]`)

// guarded puts an apostrophe before a formula, so that a spreadsheet shows it as
// text; unguarded takes it away again.
func guarded(cell string) string {
	if formula.MatchString(cell) {
		return "'" + cell
	}
	return cell
}

func unguarded(cell string) string {
	if strings.HasPrefix(cell, "'") && formula.MatchString(cell) {
		return cell[1:]
	}
	return cell
}

var listEscapes = strings.NewReplacer(`\`, `\\`, `|`, `\|`)

// joined writes a list as one cell: entries are separated by |. A backslash
// before |, itself or a space at either end of an entry takes it literally.
func joined(list []string) string {
	escaped := make([]string, len(list))
	for i, entry := range list {
		body := strings.TrimSpace(entry)
		at := strings.Index(entry, body)
		escaped[i] = literal(entry[:at]) + listEscapes.Replace(body) + literal(entry[at+len(body):])
	}
	return strings.Join(escaped, "|")
}

func literal(space string) string {
	var b strings.Builder
	for _, r := range space {
		b.WriteByte('\\')
		b.WriteRune(r)
	}
	return b.String()
}

// parted is the list of a cell, without the space around entries; empty entries
// are left out.
func parted(cell string) []string {
	list := []string{}
	var entry, space strings.Builder // space is not yet part of the entry
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
