package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

type (
	attributeNoun struct{}
	optionNoun    struct{}
)

// The ids of attributes and of their options.
type (
	AttributeID = shop.Number[attributeNoun]
	OptionID    = shop.Number[optionNoun]
)

// Refusals of attributes.
var (
	ErrAttributeNotFound  = shop.Refuse(shop.NotFound, "ATTRIBUTE_NOT_FOUND").When("no attribute of the shop has this id")
	ErrAttributeNameTaken = shop.Refuse(shop.AlreadyExists, "ATTRIBUTE_NAME_TAKEN").When("another attribute has this name")
)

// The kinds of attributes: which values a product may have.
const (
	AttributeOption = "option" // any of the attribute's options
	AttributeNumber = "number" // one number, in the attribute's unit
	AttributeText   = "text"   // one line of text, never a facet
)

// AttributeKinds lists them.
var AttributeKinds = []string{AttributeOption, AttributeNumber, AttributeText}

// Attribute is a property that products may have (document 1, 2.4).
type Attribute struct {
	ID         AttributeID
	Name       string
	Kind       string
	Unit       string
	Filterable bool
	Order      int
	Options    []Option // in their order
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// Option is one choice of an attribute: Value is the code for machines, Label the text for
// people.
type Option struct {
	ID    OptionID
	Value string
	Label string
}

// ProductAttribute is the value that one product has of one attribute.
type ProductAttribute struct {
	Attribute AttributeID
	Options   []OptionID
	Number    *float64
	Text      string
}

// AttributeValue is a ProductAttribute with the names and labels that readers need.
type AttributeValue struct {
	ProductAttribute
	Name   string
	Kind   string
	Unit   string
	Values []string // of the options
	Labels []string
}

// Display returns the value as people read it: the labels joined by commas, the number with
// its unit, or the text.
func (v AttributeValue) Display() string {
	switch {
	case v.Number != nil:
		return strings.TrimSpace(strconv.FormatFloat(*v.Number, 'f', -1, 64) + " " + v.Unit)
	case v.Kind == AttributeText:
		return v.Text
	}
	return strings.Join(v.Labels, ", ")
}

const attributeColumns = `
	a.id, a.name, a.kind, a.unit, a.filterable, a.sort_order, a.created_at, a.updated_at,
	coalesce((SELECT jsonb_agg(jsonb_build_object('ID', o.id, 'Value', o.value, 'Label', o.label) ORDER BY o.sort_order, o.id)
		FROM attribute_option o WHERE o.company_id = $1 AND o.attribute_id = a.id), '[]')`

func scanAttribute(row pgx.Row) (Attribute, error) {
	var a Attribute
	var options []byte
	err := row.Scan(&a.ID, &a.Name, &a.Kind, &a.Unit, &a.Filterable, &a.Order, &a.CreatedAt, &a.UpdatedAt, &options)
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(options, &a.Options)
}

// attributes reads the attributes that match a condition, in their order; $2 is its
// argument.
func attributes(ctx context.Context, r store.Reader, condition string, arg any) ([]Attribute, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT`+attributeColumns+` FROM attribute a
		WHERE a.company_id = $1 AND a.deleted_at IS NULL AND `+condition+` ORDER BY a.sort_order, a.id`, r.Company, arg)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Attribute, error) { return scanAttribute(row) })
}

// Attributes returns the shop's attributes in their order. Non-nil ids restrict the result.
func Attributes(ctx context.Context, r store.Reader, ids []AttributeID) ([]Attribute, error) {
	return attributes(ctx, r, `($2::integer[] IS NULL OR a.id = ANY($2))`, ids)
}

// GetAttribute reads one attribute, or returns ATTRIBUTE_NOT_FOUND.
func GetAttribute(ctx context.Context, r store.Reader, id AttributeID) (Attribute, error) {
	list, err := attributes(ctx, r, `a.id = $2`, id)
	if err != nil || len(list) == 0 {
		return Attribute{}, cmp.Or(err, error(ErrAttributeNotFound))
	}
	return list[0], nil
}

// LockAttribute reads one attribute for update. While it is locked no product can be given
// a value of it.
func LockAttribute(ctx context.Context, tx *store.Tx, id AttributeID) (Attribute, error) {
	if _, err := tx.DB.Exec(ctx, `SELECT 1 FROM attribute WHERE company_id = $1 AND id = $2 FOR UPDATE`, tx.Company, id); err != nil {
		return Attribute{}, err
	}
	return GetAttribute(ctx, tx.Reader, id)
}

// ShareAttributes locks attributes against changes until the end of the transaction and
// reads them, before products are given values of them.
func ShareAttributes(ctx context.Context, tx *store.Tx, ids []AttributeID) ([]Attribute, error) {
	_, err := tx.DB.Exec(ctx, `
		SELECT 1 FROM attribute WHERE company_id = $1 AND id = ANY($2) ORDER BY id FOR KEY SHARE`, tx.Company, ids)
	if err != nil {
		return nil, err
	}
	return Attributes(ctx, tx.Reader, ids)
}

// InsertAttribute adds an attribute with its options. Without an order it becomes the last
// one.
func InsertAttribute(ctx context.Context, tx *store.Tx, a *Attribute) error {
	err := tx.DB.QueryRow(ctx, `
		INSERT INTO attribute (company_id, name, kind, unit, filterable, sort_order)
		SELECT $1, $2, $3, $4, $5, CASE WHEN $6 <> 0 THEN $6 ELSE coalesce(max(sort_order) + 1, 0) END
		FROM attribute WHERE company_id = $1 AND deleted_at IS NULL
		RETURNING id`, tx.Company, a.Name, a.Kind, a.Unit, a.Filterable, a.Order).Scan(&a.ID)
	if store.UniqueViolation(err, "attribute_name") {
		return ErrAttributeNameTaken.At("name").With(a.Name)
	}
	if err != nil {
		return err
	}
	return saveOptions(ctx, tx, a.ID, a.Options)
}

// UpdateAttribute writes a locked attribute and deletes the options that it no longer has.
// The caller has made sure that no product uses them.
func UpdateAttribute(ctx context.Context, tx *store.Tx, a Attribute) error {
	_, err := tx.DB.Exec(ctx, `
		UPDATE attribute SET name = $3, kind = $4, unit = $5, filterable = $6, sort_order = $7, updated_at = now()
		WHERE company_id = $1 AND id = $2`, tx.Company, a.ID, a.Name, a.Kind, a.Unit, a.Filterable, a.Order)
	if store.UniqueViolation(err, "attribute_name") {
		return ErrAttributeNameTaken.At("name").With(a.Name)
	}
	if err != nil {
		return err
	}
	if err := saveOptions(ctx, tx, a.ID, a.Options); err != nil {
		return err
	}
	return recordAttributeChange(ctx, tx, a.ID)
}

func saveOptions(ctx context.Context, tx *store.Tx, id AttributeID, options []Option) error {
	values, labels := make([]string, len(options)), make([]string, len(options))
	for i, o := range options {
		values[i], labels[i] = o.Value, o.Label
	}
	if _, err := tx.DB.Exec(ctx, `
		DELETE FROM attribute_option WHERE company_id = $1 AND attribute_id = $2 AND value <> ALL($3)`, tx.Company, id, values); err != nil {
		return err
	}
	_, err := tx.DB.Exec(ctx, `
		INSERT INTO attribute_option (company_id, attribute_id, value, label, sort_order)
		SELECT $1, $2, value, label, n FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS o(value, label, n)
		ON CONFLICT (company_id, attribute_id, value) DO UPDATE SET label = excluded.label, sort_order = excluded.sort_order`,
		tx.Company, id, values, labels)
	return err
}

// DeleteAttribute soft-deletes an attribute; products no longer show it.
func DeleteAttribute(ctx context.Context, tx *store.Tx, id AttributeID) error {
	if _, err := tx.DB.Exec(ctx, `UPDATE attribute SET deleted_at = now() WHERE company_id = $1 AND id = $2`, tx.Company, id); err != nil {
		return err
	}
	return recordAttributeChange(ctx, tx, id)
}

// recordAttributeChange records a change of everything that shows an attribute: the design of the
// shop, because any list may be filtered by it, and up to a thousand products.
func recordAttributeChange(ctx context.Context, tx *store.Tx, id AttributeID) error {
	const most = 1000
	rows, err := tx.DB.Query(ctx, `
		SELECT DISTINCT product_id FROM product_attribute WHERE company_id = $1 AND attribute_id = $2 LIMIT $3`, tx.Company, id, most+1)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	switch {
	case err != nil || len(ids) == 0:
		return err
	}
	tx.Changed(shop.Key{Kind: shop.KeyDesign}) // sections may filter by it
	if len(ids) > most {
		return nil
	}
	for _, product := range ids {
		tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: product})
	}
	return nil
}

// productValues selects the values that products have, live and in the draft. A change of an
// attribute must keep them.
const productValues = `(
	SELECT company_id, attribute_id, option_id FROM public.product_attribute
	UNION ALL SELECT company_id, attribute_id, option_id FROM draft.product_attribute WHERE NOT draft_gone)`

// OptionInUse returns the value of an option outside keep that some product uses, or an
// empty string. Products in the draft and deleted ones count too, since they may be
// restored.
func OptionInUse(ctx context.Context, r store.Reader, id AttributeID, keep []string) (value string, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT o.value FROM attribute_option o
		WHERE o.company_id = $1 AND o.attribute_id = $2 AND o.value <> ALL($3) AND EXISTS (
			SELECT 1 FROM `+productValues+` p WHERE p.company_id = $1 AND p.attribute_id = $2 AND p.option_id = o.id)
		ORDER BY o.sort_order, o.id LIMIT 1`, r.Company, id, keep).Scan(&value)
	if store.NoRow(err) {
		return "", nil
	}
	return value, err
}

// AttributeInUse reports whether any product has a value of the attribute.
func AttributeInUse(ctx context.Context, r store.Reader, id AttributeID) (used bool, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT EXISTS (SELECT 1 FROM `+productValues+` p WHERE p.company_id = $1 AND p.attribute_id = $2)`, r.Company, id).Scan(&used)
	return used, err
}

// ProductAttributes returns the values of products, in the order of the shop's attributes,
// with one query for all of them. OFFSET 0 forces one index lookup per product, whatever
// statistics the planner has of a table that an import is filling.
func ProductAttributes(ctx context.Context, r store.Reader, ids []shop.ProductID) (map[shop.ProductID][]AttributeValue, error) {
	out := map[shop.ProductID][]AttributeValue{}
	if len(ids) == 0 {
		return out, nil
	}
	rows, err := r.DB.Query(ctx, `
		SELECT pa.product_id, a.id, a.name, a.kind, a.unit, pa.number, pa.text, coalesce(o.id, 0), coalesce(o.value, ''), coalesce(o.label, '')
		FROM (SELECT DISTINCT unnest($2::integer[]) AS id) AS u, LATERAL (
			SELECT * FROM product_attribute WHERE company_id = $1 AND product_id = u.id OFFSET 0) AS pa
		JOIN attribute a ON a.company_id = $1 AND a.id = pa.attribute_id AND a.deleted_at IS NULL
		LEFT JOIN attribute_option o ON o.company_id = $1 AND o.id = pa.option_id
		ORDER BY pa.product_id, a.sort_order, a.id, o.sort_order, o.id`, r.Company, ids)
	if err != nil {
		return nil, err
	}
	var id shop.ProductID
	var v AttributeValue
	var option Option
	_, err = pgx.ForEachRow(
		rows, []any{&id, &v.Attribute, &v.Name, &v.Kind, &v.Unit, &v.Number, &v.Text, &option.ID, &option.Value, &option.Label},
		func() error {
			list := out[id]
			if n := len(list); n == 0 || list[n-1].Attribute != v.Attribute {
				v.Options, v.Values, v.Labels = []OptionID{}, []string{}, []string{}
				list = append(list, v)
				out[id] = list
			}
			if option.ID != 0 {
				last := &list[len(list)-1]
				last.Options, last.Values, last.Labels = append(last.Options, option.ID), append(last.Values, option.Value), append(last.Labels, option.Label)
			}
			v.Number = nil
			return nil
		},
	)
	return out, err
}

// SetProductAttributes replaces the values of some products. The transaction holds a shared
// lock on the attributes (ShareAttributes).
func SetProductAttributes(ctx context.Context, tx *store.Tx, values map[shop.ProductID][]ProductAttribute) error {
	if len(values) == 0 {
		return nil
	}
	var cleared, products []shop.ProductID
	var attributes []AttributeID
	var options []OptionID
	var numbers []*float64
	var texts []string
	for product, list := range values {
		cleared = append(cleared, product)
		for _, v := range list {
			ids := v.Options
			if len(ids) == 0 {
				ids = []OptionID{0}
			}
			for _, option := range ids {
				products, attributes, options = append(products, product), append(attributes, v.Attribute), append(options, option)
				numbers, texts = append(numbers, v.Number), append(texts, v.Text)
			}
		}
	}
	if _, err := tx.DB.Exec(ctx, `DELETE FROM product_attribute WHERE company_id = $1 AND product_id = ANY($2)`,
		tx.Company, cleared); err != nil {
		return err
	}
	_, err := tx.DB.Exec(ctx, `
		INSERT INTO product_attribute (company_id, attribute_id, product_id, option_id, number, text)
		SELECT $1, * FROM unnest($2::integer[], $3::integer[], $4::integer[], $5::float8[], $6::text[])
		ON CONFLICT DO NOTHING`, tx.Company, attributes, products, options, numbers, texts)
	return err
}
