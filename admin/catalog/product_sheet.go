package catalog

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"vitrine/internal/cells"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
)

// sheet holds the things of a shop that a CSV refers to by name: sections and attributes.
type sheet struct {
	slugs      map[shop.CategoryID]string
	sections   map[string]shop.CategoryID
	attributes []catalog.Attribute
}

func readSheet(ctx context.Context, r store.Reader) (s sheet, err error) {
	list, err := catalog.CategoryAddresses(ctx, r)
	if err != nil {
		return s, err
	}
	s.slugs, s.sections = make(map[shop.CategoryID]string, len(list)), make(map[string]shop.CategoryID, len(list))
	for _, c := range list {
		s.slugs[c.ID], s.sections[c.Slug] = c.Slug, c.ID
	}
	s.attributes, err = catalog.Attributes(ctx, r, nil)
	return s, err
}

// columns returns all columns of the shop.
func (s sheet) columns() []cells.Column[entry] {
	columns := make([]cells.Column[entry], 0, len(csvColumns)+len(s.attributes))
	for _, c := range csvColumns {
		columns = append(columns, cells.Column[entry]{Name: c.name, Cell: func(e entry) string { return c.cell(s, e) }})
	}
	for _, a := range s.attributes {
		columns = append(columns, cells.Column[entry]{Name: attributeColumn + a.Name, Number: a.Kind == catalog.AttributeNumber, Cell: func(e entry) string {
			if i := slices.IndexFunc(e.values, func(v catalog.AttributeValue) bool { return v.Attribute == a.ID }); i >= 0 {
				return valueCell(e.values[i])
			}
			return ""
		}})
	}
	return columns
}

// entry is the data of a product for a line.
type entry struct {
	product  catalog.Product
	values   []catalog.AttributeValue
	variants []catalog.Variant
}

// cells returns the cells of a product by column, before guarding.
func (s sheet) cells(e entry) map[string]string {
	columns := s.columns()
	row := make(map[string]string, len(columns))
	for _, c := range columns {
		row[c.Name] = c.Cell(e)
	}
	return row
}

// additionalSlugs returns the slugs of the live additional sections of a product.
func (s sheet) additionalSlugs(p catalog.Product) string {
	var slugs []string
	for _, id := range p.Extra {
		if slug := s.slugs[id]; slug != "" {
			slugs = append(slugs, slug)
		}
	}
	return joinList(slugs)
}

func countCell(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

func fileCell(id *uuid.UUID, living bool) string {
	if id == nil || !living {
		return ""
	}
	return id.String()
}

func galleryCell(files []media.File) string {
	ids := make([]string, len(files))
	for i, f := range files {
		ids[i] = f.ID.String()
	}
	return joinList(ids)
}

func valueCell(v catalog.AttributeValue) string {
	switch {
	case v.Number != nil && math.Abs(*v.Number) < 1e15:
		return strconv.FormatFloat(*v.Number, 'f', -1, 64)
	case v.Number != nil:
		return strconv.FormatFloat(*v.Number, 'g', -1, 64)
	case v.Kind == catalog.AttributeText:
		return v.Text
	}
	return joinList(v.Values)
}

func timeCell(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// variantCell is a variant set in the JSON of a cell, with the field names of variantItem.
type variantCell struct {
	ID        catalog.VariantID `json:"id"`
	SKU       string            `json:"sku"`
	Title     string            `json:"title"`
	GTIN      string            `json:"gtin"`
	Price     *int64            `json:"price"`
	OldPrice  *int64            `json:"old_price"`
	WeightG   *int              `json:"weight_g"`
	ImageID   *uuid.UUID        `json:"image_id"`
	GalleryID shop.GalleryID    `json:"gallery_id"`
	Options   map[string]string `json:"options"`
	Swatch    string            `json:"swatch"`
	IsActive  bool              `json:"is_active"`
	Stock     *int              `json:"stock_quantity,omitempty"`
	StockLow  *int              `json:"stock_low_threshold,omitempty"`
}

func variantsCell(list []catalog.Variant) string {
	if len(list) == 0 {
		return ""
	}
	cells := make([]variantCell, len(list))
	for i, v := range list {
		cells[i] = variantCell{v.ID, v.SKU, v.Title, v.GTIN, v.Price, v.OldPrice, v.WeightG, nil, v.GalleryID, v.Options, v.Swatch, v.IsActive, v.Stock, v.StockLow}
		if v.ImagePath != "" {
			cells[i].ImageID = v.ImageID
		}
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(cells) != nil {
		return "" // cannot happen: numbers and texts can always be encoded
	}
	return strings.TrimSuffix(out.String(), "\n")
}
