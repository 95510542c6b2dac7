package movein

import (
	"io"
	"strings"

	"vitrine/compile/movein/header"
	"vitrine/internal/cells"
	"vitrine/internal/shop"
)

// Refusals of an import as a whole.
var (
	ErrUnknown = shop.Refuse(shop.InvalidArgument, "IMPORT_UNKNOWN").When("a file is none of the exports that can be read")
	ErrMixed   = shop.Refuse(shop.InvalidArgument, "IMPORT_MIXED").When("the files are of more than one system; import one system at a time")
	ErrInvalid = shop.Refuse(shop.InvalidArgument, "IMPORT_INVALID").When("a file of the import cannot be read")
)

// Read reads the files of one system. choices answers questions by their key; every question
// has a default. Its errors are ErrUnknown, ErrMixed and ErrInvalid, each with the file's name,
// and those of File.Open.
func Read(files []File, to Shop, choices map[string]string) (*Plan, error) {
	plan := &Plan{System: header.Shopify, Confidence: 1}
	for _, f := range files {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(r)
		_ = r.Close()
		if err != nil {
			return nil, err
		}
		what, ok := header.Of(string(text))
		if !ok {
			return nil, ErrUnknown.With(f.Name)
		}
		if what.System != header.Shopify {
			return nil, ErrUnknown.With(f.Name)
		}
		if err := plan.shopify(f.Name, string(text)); err != nil {
			return nil, err
		}
	}
	return plan, nil
}

func (p *Plan) shopify(name, text string) error {
	t, err := cells.ReadTable(text, 1_000_000, func(names []string) ([]string, error) {
		columns := make([]string, len(names)) // names are valid until the next record
		for i, name := range names {
			columns[i] = strings.ToLower(name)
		}
		return columns, nil
	})
	if err != nil {
		return ErrInvalid.With(name + ": " + err.Error())
	}
	at := map[string]int{}
	for _, row := range t.Rows {
		handle := row.Cells["handle"]
		i, known := at[handle]
		if !known {
			i = len(p.Products)
			at[handle] = i
			p.Products = append(p.Products, Product{Key: handle, Slug: handle, Name: row.Cells["title"], Description: row.Cells["body (html)"],
				Brand: row.Cells["vendor"], SKU: row.Cells["variant sku"], Published: row.Cells["published"] == "true", Place: Place{name, row.Line}})
		}
		if address := row.Cells["image src"]; address != "" {
			p.Products[i].Pictures = append(p.Products[i].Pictures, Picture{Address: address, Alt: row.Cells["image alt text"]})
		}
	}
	return nil
}
