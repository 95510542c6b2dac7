package catalog_test

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
)

// cellsOf are the columns of fields that have a different name in the CSV.
var cellsOf = map[string]string{"category_id": "category", "attributes": "attribute:Colour", "seo": "meta_title"}

// csv exports a full product beside a plain one, and imports its line as a new product and over
// a third one.
func (c courier) csv() {
	sent, unsaid := c.fill(), c.plain(c.Owner)
	made := c.add(c.kind, sent)
	lines, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(c.exportOf(c.Owner), []byte("\ufeff")))).ReadAll()
	if err != nil {
		c.t.Fatal(err)
	}
	column := func(name string) int { return slices.Index(lines[0], name) }
	line := func(of m) []string {
		return lines[slices.IndexFunc(lines, func(cells []string) bool { return cells[column("id")] == id(of) })]
	}
	for _, f := range c.fields {
		name := f.name
		if cellsOf[name] != "" {
			name = cellsOf[name]
		}
		if at := column(name); ignoredFields[""][f.name] == "" && ignoredFields["CSV export"][f.name] == "" &&
			(at < 0 || line(made)[at] == line(unsaid)[at]) {
			c.t.Errorf("CSV export: %s.%s has no own cell among %q", c.kind, f.name, lines[0])
		}
	}
	cells := line(made)
	bring := func(way, id, sku string) {
		cells[column("id")], cells[column("sku")], cells[column("slug")], cells[column("variants")] = id, sku, sku, ""
		sent["sku"], sent["seo"].(m)["slug"] = sku, sku
		var text strings.Builder
		w := csv.NewWriter(&text)
		if err := w.WriteAll([][]string{lines[0], cells}); err != nil {
			c.t.Fatal(err)
		}
		row := c.Result("POST", "/products/import", c.Owner, m{"text": text.String()})["rows"].(l)[0].(m)
		c.arrived(way, sent, c.read(c.Owner, row))
	}
	bring("CSV import", "", "imported-1")
	bring("CSV import, an edit", id(c.plain(c.Owner)), "imported-2")
}
