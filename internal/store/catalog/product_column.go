package catalog

import (
	"fmt"
	"reflect"
	"strings"

	"vitrine/internal/shop"
)

// tableColumn is a column of a table that is read into a row and written from it unchanged:
// at returns the address of its value.
type tableColumn[Row any] struct {
	name string
	at   func(*Row) any
}

// factColumns are the columns of the facts of a product, for all readers. To add a fact,
// add a line here.
var factColumns = []tableColumn[shop.Facts]{
	{"gtin", func(f *shop.Facts) any { return &f.GTIN }},
	{"brand", func(f *shop.Facts) any { return &f.Brand }},
	{"country_of_origin", func(f *shop.Facts) any { return &f.CountryOfOrigin }},
}

// productColumns are the columns of a product that create and edit write. To add a field
// that is not a fact, add a line here and the field to Product.
var productColumns = append([]tableColumn[Product]{
	{"category_id", func(p *Product) any { return &p.Category }},
	{"kind", func(p *Product) any { return &p.Kind }},
	{"name", func(p *Product) any { return &p.Name }},
	{"tax_class", func(p *Product) any { return &p.TaxClass }},
	{"slug", func(p *Product) any { return &p.SEO.Slug }},
	{"description", func(p *Product) any { return &p.Description }},
	{"price", func(p *Product) any { return &p.Price }},
	{"old_price", func(p *Product) any { return &p.OldPrice }},
	{"sku", func(p *Product) any { return &p.SKU }},
	{"weight_g", func(p *Product) any { return &p.WeightG }},
	{"tags", func(p *Product) any { return &p.Tags }},
	{"preview_id", func(p *Product) any { return &p.PreviewID }},
	{"is_published", func(p *Product) any { return &p.IsPublished }},
	{"published_at", func(p *Product) any { return &p.PublishedAt }},
	{"is_shared", func(p *Product) any { return &p.IsShared }},
	{"catalog_hidden", func(p *Product) any { return &p.CatalogHidden }},
	{"comments_enabled", func(p *Product) any { return &p.CommentsEnabled }},
	{"questions_enabled", func(p *Product) any { return &p.QuestionsEnabled }},
	{"stock_low_threshold", func(p *Product) any { return &p.StockLowThreshold }},
	{"configurable", func(p *Product) any { return &p.Configurable }},
	{"combo_items", func(p *Product) any { return &p.Set }},
	{"combo_percent", func(p *Product) any { return &p.SetPercent }},
}, columnsOfPart("", factColumns, func(p *Product) *shop.Facts { return &p.Facts })...)

// productState are the columns that edits do not write.
var productState = []tableColumn[Product]{
	{"id", func(p *Product) any { return &p.ID }},
	{"stock_by", func(p *Product) any { return &p.StockBy }},
	{"stock_quantity", func(p *Product) any { return &p.StockQuantity }},
	{"ad_mode", func(p *Product) any { return &p.AdMode }},
	{"rating", func(p *Product) any { return &p.Rating }},
	{"rating_count", func(p *Product) any { return &p.RatingCount }},
	{"created_by", func(p *Product) any { return &p.CreatedBy }},
	{"updated_by", func(p *Product) any { return &p.UpdatedBy }},
	{"created_at", func(p *Product) any { return &p.CreatedAt }},
	{"updated_at", func(p *Product) any { return &p.UpdatedAt }},
	{"deleted_at", func(p *Product) any { return &p.DeletedAt }},
}

// columnsOfPart converts columns of a part of a row into columns of the row; before is prepended
// to their names.
func columnsOfPart[Row, Part any](before string, columns []tableColumn[Part], part func(*Row) *Part) []tableColumn[Row] {
	list := make([]tableColumn[Row], len(columns))
	for i, c := range columns {
		list[i] = tableColumn[Row]{before + c.name, func(row *Row) any { return c.at(part(row)) }}
	}
	return list
}

// names returns the names of columns.
func names[Row any](columns []tableColumn[Row]) []string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.name
	}
	return list
}

// selected returns the list of columns for a SELECT from a table with an alias.
func selected[Row any](alias string, columns []tableColumn[Row]) string {
	return alias + "." + strings.Join(names(columns), ", "+alias+".")
}

// assigned returns the list of a SET, with parameters numbered from first.
func assigned[Row any](columns []tableColumn[Row], first int) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = fmt.Sprintf("%s = $%d", c.name, first+i)
	}
	return strings.Join(list, ", ")
}

// addresses returns the addresses into which a scan writes the columns of a row.
func addresses[Row any](row *Row, columns []tableColumn[Row]) []any {
	list := make([]any, len(columns))
	for i, c := range columns {
		list[i] = c.at(row)
	}
	return list
}

// values returns the columns of a row as parameters. Nil slices become empty, so that no
// list is NULL.
func values[Row any](row *Row, columns []tableColumn[Row]) []any {
	list := addresses(row, columns)
	for i, place := range list {
		value := reflect.ValueOf(place).Elem()
		if value.Kind() == reflect.Slice && value.IsNil() {
			value = reflect.MakeSlice(value.Type(), 0, 0)
		}
		list[i] = value.Interface()
	}
	return list
}
