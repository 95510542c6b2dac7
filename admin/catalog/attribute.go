package catalog

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// Refusals of attributes (document 1, sections 2.4 and 7).
var (
	errAttributeName    = shop.Refuse(shop.InvalidArgument, "ATTRIBUTE_NAME_INVALID").When("name is missing or too long")
	errAttributeKind    = shop.Refuse(shop.InvalidArgument, "ATTRIBUTE_KIND_UNKNOWN").When("kind is not option, number or text")
	errAttributeInUse   = shop.Refuse(shop.FailedPrecondition, "ATTRIBUTE_IN_USE").When("products carry values that the change would break")
	errOptionValue      = shop.Refuse(shop.InvalidArgument, "INVALID_OPTION_VALUE").When("the value of an option is not a code of a-z, 0-9, _ and - with at most 64 characters")
	errOptionLabel      = shop.Refuse(shop.InvalidArgument, "OPTION_LABEL_TOO_LONG").When("the label of an option is too long")
	errOptionTwice      = shop.Refuse(shop.InvalidArgument, "DUPLICATE_OPTION_VALUE").When("two options have the same value")
	errAttributeOptions = shop.Refuse(shop.InvalidArgument, "ATTRIBUTE_TOO_MANY_OPTIONS").When("an attribute has too many options")
)

// errOptionInUse contains the option in its code, as the specification requires.
func errOptionInUse(value string) *shop.Refusal {
	return shop.Refuse(shop.FailedPrecondition, "OPTION_IN_USE:"+value).When("products carry the option that the new list leaves out")
}

const (
	maxAttributeName = 255 // characters
	maxAttributeUnit = 32
	maxOptionLabel   = 255
	maxOptions       = 1000
)

// optionValue matches a machine code (document 1, 2.4).
var optionValue = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

type optionView struct {
	ID    catalog.OptionID `json:"id"`
	Value string           `json:"value"`
	Label string           `json:"label"`
}

type attributeView struct {
	ID         catalog.AttributeID `json:"id"`
	Name       string              `json:"name"`
	Kind       attributeKind       `json:"kind"`
	Unit       string              `json:"unit"`
	Filterable bool                `json:"filterable"`
	Order      int                 `json:"order"`
	Options    []optionView        `json:"options"`
	CreatedAt  time.Time           `json:"created_at"`
	UpdatedAt  time.Time           `json:"updated_at"`
}

func viewAttribute(a catalog.Attribute) attributeView {
	v := attributeView{
		ID: a.ID, Name: a.Name, Kind: attributeKind(a.Kind), Unit: a.Unit, Filterable: a.Filterable, Order: a.Order, Options: []optionView{},
		CreatedAt: a.CreatedAt.UTC(), UpdatedAt: a.UpdatedAt.UTC(),
	}
	for _, o := range a.Options {
		v.Options = append(v.Options, optionView{o.ID, o.Value, o.Label})
	}
	return v
}

// AttributeItem is an attribute in a request: absent fields keep their values. Options are
// identified by their value; options that are not listed are deleted.
type AttributeItem struct {
	Name       *string        `json:"name" required:"POST" len:"255" refuse:"ATTRIBUTE_NAME_INVALID"`
	Kind       *attributeKind `json:"kind"`
	Unit       *string        `json:"unit"`
	Filterable *bool          `json:"filterable"`
	Order      *int32         `json:"order"`
	Options    *[]optionItem  `json:"options" max:"1000" refuse:"ATTRIBUTE_TOO_MANY_OPTIONS"`
}

type optionItem struct {
	Value string `json:"value" required:"always" len:"64" refuse:"INVALID_OPTION_VALUE"`
	Label string `json:"label" len:"255" refuse:"OPTION_LABEL_TOO_LONG"` // empty: the current label, or the value
}

func (i AttributeItem) apply(a *catalog.Attribute) error {
	api.Set(&a.Name, i.Name)
	api.Set(&a.Kind, (*string)(i.Kind))
	api.Set(&a.Unit, i.Unit)
	api.Set(&a.Filterable, i.Filterable)
	if i.Order != nil {
		a.Order = int(*i.Order)
	}
	a.Name, a.Unit = strings.TrimSpace(a.Name), strings.TrimSpace(a.Unit)
	if n := utf8.RuneCountInString(a.Name); n == 0 || n > maxAttributeName {
		return errAttributeName.At("name").With("1 to 255 characters")
	}
	if utf8.RuneCountInString(a.Unit) > maxAttributeUnit {
		return errAttributeName.At("unit").With("at most 32 characters")
	}
	if !slices.Contains(catalog.AttributeKinds, a.Kind) {
		return errAttributeKind.At("kind").With("option, number or text")
	}
	if i.Options != nil {
		if err := i.applyOptions(a); err != nil {
			return err
		}
	}
	if a.Kind != catalog.AttributeOption {
		a.Options = nil
	}
	return nil
}

func (i AttributeItem) applyOptions(a *catalog.Attribute) error {
	if len(*i.Options) > maxOptions {
		return errAttributeOptions.At("options").With("at most 1000")
	}
	labels := map[string]string{}
	for _, o := range a.Options {
		labels[o.Value] = o.Label
	}
	a.Options = a.Options[:0:0]
	seen := map[string]bool{}
	for n, o := range *i.Options {
		if !optionValue.MatchString(o.Value) {
			return shop.AtEntry(errOptionValue.At("value").With("[a-z0-9][a-z0-9_-]*, at most 64 characters"), "options", n)
		}
		if seen[o.Value] {
			return shop.AtEntry(errOptionTwice.At("value").With(o.Value), "options", n)
		}
		seen[o.Value] = true
		label := strings.TrimSpace(o.Label)
		if label == "" {
			label = labels[o.Value]
		}
		if label == "" {
			label = o.Value
		}
		if utf8.RuneCountInString(label) > maxOptionLabel {
			return shop.AtEntry(errOptionLabel.At("label").With("at most 255 characters"), "options", n)
		}
		a.Options = append(a.Options, catalog.Option{Value: o.Value, Label: label})
	}
	return nil
}

type attributesRequest struct {
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop, for callers without a key"`
}

// attributes lists the definitions, also for visitors: filters need their names.
func (c *Catalog) attributes(ctx context.Context, call *api.Call, in attributesRequest) (api.Result[[]attributeView], error) {
	views := []attributeView{}
	company, err := call.Tenant(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return api.Wrap(views), err
	}
	list, err := catalog.Attributes(ctx, c.store.Shop(company), nil)
	for _, a := range list {
		views = append(views, viewAttribute(a))
	}
	return api.Wrap(views), err
}

type attributePath struct {
	ID        catalog.AttributeID `path:"id" json:"-"`
	CompanyID shop.CompanyID      `query:"company_id" json:"-" doc:"the shop, for callers without a key"`
}

func (c *Catalog) attribute(ctx context.Context, call *api.Call, in attributePath) (api.Result[attributeView], error) {
	company, err := call.Tenant(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return api.Result[attributeView]{}, err
	}
	a, err := catalog.GetAttribute(ctx, c.store.Shop(company), in.ID)
	return api.Wrap(viewAttribute(a)), err
}

type attributeRequest struct {
	Item AttributeItem `json:"item" required:"always"`
}

func (c *Catalog) createAttribute(ctx context.Context, call *api.Call, in attributeRequest) (api.Result[attributeView], error) {
	a := catalog.Attribute{Kind: catalog.AttributeOption, Filterable: true}
	if err := in.Item.apply(&a); err != nil {
		return api.Result[attributeView]{}, err
	}
	err := c.store.Write(ctx, call.Company, func(tx *store.Tx) (err error) {
		if err := catalog.InsertAttribute(ctx, tx, &a); err != nil {
			return err
		}
		a, err = catalog.GetAttribute(ctx, tx.Reader, a.ID)
		return err
	})
	return api.Wrap(viewAttribute(a)), err
}

type updateAttribute struct {
	ID catalog.AttributeID `path:"id" json:"-"`
	api.Basis
	Item AttributeItem `json:"item"`
}

// updateAttribute changes a definition. If products have values of the attribute, its kind
// cannot change, and options in use cannot be deleted (document 1, 2.4).
func (c *Catalog) updateAttribute(ctx context.Context, call *api.Call, in updateAttribute) (api.Result[attributeView], error) {
	var a catalog.Attribute
	err := c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		old, err := catalog.LockAttribute(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := tx.CheckBasis(old.UpdatedAt); err != nil {
			return err
		}
		a = old
		if err := in.Item.apply(&a); err != nil {
			return err
		}
		if a.Kind != old.Kind {
			used, err := catalog.AttributeInUse(ctx, tx.Reader, a.ID)
			if err != nil {
				return err
			}
			if used {
				return errAttributeInUse.At("kind").With("products carry values of kind " + old.Kind)
			}
		}
		keep := make([]string, len(a.Options))
		for i, o := range a.Options {
			keep[i] = o.Value
		}
		used, err := catalog.OptionInUse(ctx, tx.Reader, a.ID, keep)
		if err != nil {
			return err
		}
		if used != "" {
			return errOptionInUse(used).At("options")
		}
		if err := catalog.UpdateAttribute(ctx, tx, a); err != nil {
			return err
		}
		a, err = catalog.GetAttribute(ctx, tx.Reader, a.ID)
		return err
	})
	return api.Wrap(viewAttribute(a)), err
}

type attributeID struct {
	ID catalog.AttributeID `path:"id" json:"-"`
}

func (c *Catalog) deleteAttribute(ctx context.Context, call *api.Call, in attributeID) (api.None, error) {
	return api.None{}, c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		if _, err := catalog.LockAttribute(ctx, tx, in.ID); err != nil {
			return err
		}
		return catalog.DeleteAttribute(ctx, tx, in.ID)
	})
}

// attributeKind is what values of an attribute are.
type attributeKind string

// Values lists the kinds.
func (attributeKind) Values() []string { return catalog.AttributeKinds }
