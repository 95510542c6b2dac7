package shop

// Facts are what the trade says of a product and nothing computes with: they are
// kept, read, drawn and told to feeds as they are. Rows, pages and feeds hold them
// as one, so that a new fact is a line here, with the edits that the comment of
// admin/catalog lists.
type Facts struct {
	GTIN  string `json:"gtin"` // 8, 12, 13 or 14 digits, or empty
	Brand string `json:"brand"`
}
