package catalog

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
)

// errAttributeValue refuses values that do not fit their attribute.
var errAttributeValue = shop.Refuse(shop.InvalidArgument, "ATTRIBUTE_VALUE_INVALID").When("a value does not fit its attribute")

const (
	maxProductAttributes = 100
	maxProductOptions    = 100 // options of one attribute on one product
	maxAttributeText     = 1000
)

// attributeValueItem is the value of an attribute in a request: options by id or by value for
// an attribute of kind option, a number, or a text. Each kind can also be sent as values, so that a
// caller need not know the kind. What does not fit the kind is refused, not dropped.
type attributeValueItem struct {
	AttributeID catalog.AttributeID `json:"attribute_id"`
	OptionIDs   []catalog.OptionID  `json:"option_ids" max:"100" refuse:"ATTRIBUTE_VALUE_INVALID" doc:"only of kind option"`
	Values      []string            `json:"values" max:"100" len:"1000" refuse:"ATTRIBUTE_VALUE_INVALID" doc:"of kind option the values of its options; of kind number or text one entry, instead of number or text"`
	Number      *float64            `json:"number" doc:"only of kind number"`
	Text        string              `json:"text" len:"1000" refuse:"ATTRIBUTE_VALUE_INVALID" doc:"only of kind text"`
}

// attributeValue is the value of an attribute in a response, with its names.
type attributeValue struct {
	AttributeID catalog.AttributeID `json:"attribute_id"`
	Name        string              `json:"name"`
	Kind        attributeKind       `json:"kind"`
	Unit        string              `json:"unit"`
	OptionIDs   []catalog.OptionID  `json:"option_ids"`
	Values      []string            `json:"values"`
	Labels      []string            `json:"labels"`
	Number      *float64            `json:"number"`
	Text        string              `json:"text"`
}

func viewAttributeValue(v catalog.AttributeValue) attributeValue {
	return attributeValue{
		AttributeID: v.Attribute, Name: v.Name, Kind: attributeKind(v.Kind), Unit: v.Unit, OptionIDs: v.Options, Values: v.Values, Labels: v.Labels,
		Number: v.Number, Text: v.Text,
	}
}

// attributeValues checks the values of a request. An attribute that is sent twice is refused,
// and one without a value is left out.
func (l links) attributeValues(items []attributeValueItem) ([]catalog.ProductAttribute, error) {
	if len(items) > maxProductAttributes {
		return nil, errAttributeValue.With("a product may have at most 100 attributes")
	}
	values := []catalog.ProductAttribute{}
	seen := map[catalog.AttributeID]bool{}
	for n, i := range items {
		a, known := l.attributes[i.AttributeID]
		if !known {
			return nil, shop.AtEntry(catalog.ErrAttributeNotFound.At("attribute_id").With(i.AttributeID.String()), "", n)
		}
		if seen[a.ID] {
			return nil, shop.AtEntry(errAttributeValue.At("attribute_id").With(a.Name+" is sent twice"), "", n)
		}
		seen[a.ID] = true
		v, empty, err := i.value(a)
		if err != nil {
			return nil, shop.AtEntry(err, "", n)
		}
		if !empty {
			values = append(values, v)
		}
	}
	return values, nil
}

func (i attributeValueItem) value(a catalog.Attribute) (v catalog.ProductAttribute, empty bool, err error) {
	v.Attribute = a.ID
	if i, err = i.ofKind(a); err != nil {
		return v, false, err
	}
	switch a.Kind {
	case catalog.AttributeNumber:
		v.Number = i.Number
		return v, i.Number == nil, nil
	case catalog.AttributeText:
		v.Text = strings.TrimSpace(i.Text)
		if utf8.RuneCountInString(v.Text) > maxAttributeText {
			return v, false, errAttributeValue.At("text").With(a.Name + " may have at most 1000 characters")
		}
		return v, v.Text == "", nil
	}
	v.Options, err = i.options(a)
	return v, len(v.Options) == 0, err
}

// ofKind returns the item with the value in the field of the attribute's kind. It refuses fields of
// other kinds.
func (i attributeValueItem) ofKind(a catalog.Attribute) (attributeValueItem, error) {
	misplaced := func(field string) error {
		return errAttributeValue.At(field).With(a.Name + " is of kind " + a.Kind)
	}
	switch {
	case a.Kind != catalog.AttributeOption && len(i.OptionIDs) > 0:
		return i, misplaced("option_ids")
	case a.Kind != catalog.AttributeNumber && i.Number != nil:
		return i, misplaced("number")
	case a.Kind != catalog.AttributeText && strings.TrimSpace(i.Text) != "":
		return i, misplaced("text")
	case a.Kind == catalog.AttributeOption || len(i.Values) == 0:
		return i, nil
	case len(i.Values) > 1 || i.Number != nil || i.Text != "":
		return i, errAttributeValue.At("values").With(a.Name + " takes one value")
	}
	sent := i.Values[0]
	if i.Values = nil; a.Kind == catalog.AttributeText {
		i.Text = sent
		return i, nil
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(sent), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return i, errAttributeValue.At("values[0]").With(a.Name + " requires a number")
	}
	i.Number = &n
	return i, nil
}

// options returns the chosen options, each once, in the attribute's order.
func (i attributeValueItem) options(a catalog.Attribute) (ids []catalog.OptionID, err error) {
	if len(i.OptionIDs)+len(i.Values) > maxProductOptions {
		return nil, errAttributeValue.At("values").With(a.Name + " may have at most 100 options")
	}
	for n, id := range i.OptionIDs {
		if !slices.ContainsFunc(a.Options, func(o catalog.Option) bool { return o.ID == id }) {
			return nil, shop.AtEntry(errAttributeValue.With(a.Name+" has no option "+id.String()), "option_ids", n)
		}
	}
	for n, value := range i.Values {
		if !slices.ContainsFunc(a.Options, func(o catalog.Option) bool { return o.Value == value }) {
			return nil, shop.AtEntry(errAttributeValue.With(a.Name+" has no option "+value), "values", n)
		}
	}
	for _, o := range a.Options {
		if slices.Contains(i.OptionIDs, o.ID) || slices.Contains(i.Values, o.Value) {
			ids = append(ids, o.ID)
		}
	}
	return ids, nil
}
