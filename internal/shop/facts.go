package shop

// Facts are descriptive data of a product that the program does not compute with: they are
// stored, read, shown and put into feeds unchanged. Rows, pages and feeds embed them, so
// that a new fact is a line here, with the edits listed in the comment of admin/catalog.
type Facts struct {
	GTIN            string `json:"gtin"` // 8, 12, 13 or 14 digits, or empty
	Brand           string `json:"brand"`
	CountryOfOrigin string `json:"country_of_origin"` // see IsCountry, or empty
}
