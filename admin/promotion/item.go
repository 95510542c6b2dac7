package promotion

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/people"
	"vitrine/internal/store/sales"
)

const (
	maxName  = 255 // characters
	maxNamed = 1000
	maxMoney = 2_000_000_000
	maxUnits = 9999
)

var (
	kinds     = []string{"discount", "order_discount", "coupon", "gift", "personal_coupon"}
	stackings = []string{"stack", "exclusive"}
	counts    = []string{"line", "product", "rule"}
	codeForm  = regexp.MustCompile(`^[A-Z0-9_-]{3,32}$`)
)

// kind is the kind of a promotion in requests and responses.
type kind string

// Values lists the kinds as texts.
func (kind) Values() []string { return kinds }

// stacking says whether a promotion applies beside others.
type stacking string

// Values lists both ways as texts.
func (stacking) Values() []string { return stackings }

// count is what the units of a quantity price are counted by.
type count string

// Values lists the ways to count as texts.
func (count) Values() []string { return counts }

// item is a promotion as sent by the client; absent fields stay unchanged.
type item struct {
	Name       *string                `json:"name" required:"POST" len:"body"`
	Kind       *kind                  `json:"kind" required:"POST" len:"body"`
	Active     *bool                  `json:"active"`
	StartsAt   shop.JSON[*time.Time]  `json:"starts_at"`
	EndsAt     shop.JSON[*time.Time]  `json:"ends_at"`
	Priority   *int                   `json:"priority"`
	Stacking   *stacking              `json:"stacking" len:"body"`
	Code       *string                `json:"code" len:"body"`
	Conditions shop.JSON[*conditions] `json:"conditions"`
	Value      shop.JSON[*value]      `json:"value" required:"POST"`
	Limits     shop.JSON[*limits]     `json:"limits"`
	Issue      shop.JSON[*issue]      `json:"issue"`
}

// conditions are the conditions of a promotion in requests and responses.
type conditions struct {
	MinTotal   int64                  `json:"min_total"`
	MinUnits   int64                  `json:"min_quantity"`
	Categories []shop.CategoryID      `json:"category_ids"`
	Products   []shop.ProductID       `json:"product_ids"`
	Exclude    []shop.ProductID       `json:"exclude_product_ids"`
	FirstOrder bool                   `json:"first_order"`
	Groups     []shop.CustomerGroupID `json:"customer_group_ids"`
}

func viewConditions(c sales.PromotionConditions) conditions {
	return conditions{
		c.MinTotal, c.MinUnits, append([]shop.CategoryID{}, c.Categories...), append([]shop.ProductID{}, c.Products...),
		append([]shop.ProductID{}, c.Exclude...), c.FirstOrder, append([]shop.CustomerGroupID{}, c.Groups...),
	}
}

// value is the value of a promotion in requests and responses; fields that do not apply to the
// kind are null.
type value struct {
	Percent  *float64          `json:"percent"`
	Amount   *int64            `json:"amount"`
	Product  *shop.ProductID   `json:"product_id"`
	Variant  catalog.VariantID `json:"variant_id"`
	Quantity *int64            `json:"quantity"`
	Per      *int64            `json:"per_quantity"`
}

func viewValue(v sales.PromotionValue) (out value) {
	if v.Points > 0 {
		percent := float64(v.Points) / 100
		out.Percent = &percent
	}
	if v.Amount > 0 {
		out.Amount = &v.Amount
	}
	if v.Product > 0 {
		out.Product, out.Variant, out.Quantity = &v.Product, v.Variant, &v.Quantity
	}
	if v.Per > 0 {
		out.Per = &v.Per
	}
	return out
}

type limits struct {
	Total    *int64 `json:"total"` // null: no limit
	PerBuyer *int64 `json:"per_buyer"`
	Budget   *int64 `json:"budget"`
}

type issue struct {
	On       string `json:"on"`
	MinTotal int64  `json:"min_total"`
	Days     int    `json:"days"`
	Prefix   string `json:"prefix"`
}

// apply applies the sent fields to a promotion and validates the result.
func (i item) apply(p *sales.Promotion) error {
	api.Set(&p.Name, i.Name)
	api.Set(&p.Kind, (*string)(i.Kind))
	api.Set(&p.Active, i.Active)
	api.Set(&p.Priority, i.Priority)
	api.Set(&p.Stacking, (*string)(i.Stacking))
	if api.Set(&p.Code, i.Code); i.Code != nil {
		p.Code = strings.ToUpper(strings.TrimSpace(p.Code))
	}
	p.Name = strings.TrimSpace(p.Name)
	for _, part := range [...]struct {
		name string
		err  error
	}{
		{"starts_at", readTime(json.RawMessage(i.StartsAt), &p.StartsAt)}, {"ends_at", readTime(json.RawMessage(i.EndsAt), &p.EndsAt)},
		{"conditions", readConditions(json.RawMessage(i.Conditions), &p.Conditions)}, {"value", readValue(json.RawMessage(i.Value), &p.Value)},
		{"limits", readLimits(json.RawMessage(i.Limits), p)}, {"issue", readIssue(json.RawMessage(i.Issue), p)},
	} {
		if part.err != nil {
			return errInvalid.At(part.name).With(part.err.Error())
		}
	}
	if field, why, found := strings.Cut(inconsistency(p), ": "); found {
		return errInvalid.At(field).With(why)
	}
	return nil
}

// partError describes what is wrong with a part of an item.
type partError string

func (f partError) Error() string { return string(f) }

// parse decodes a part of an item and refuses unknown names: with a misspelled condition, a
// promotion would apply to everything. why is empty for valid input, otherwise the text to append
// to the expected form.
func parse(data json.RawMessage, into any) (why string) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil {
		return ""
	}
	if name, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		return "; unknown field " + name
	}
	if inconsistency := (*json.UnmarshalTypeError)(nil); errors.As(err, &inconsistency) && inconsistency.Field != "" {
		return "; got " + inconsistency.Value + " for " + inconsistency.Field
	}
	return "; the value is invalid"
}

func presence(data json.RawMessage) (null, sent bool) {
	return string(data) == "null", len(data) > 0
}

func readTime(data json.RawMessage, to **time.Time) error {
	null, sent := presence(data)
	if !sent || null {
		if null {
			*to = nil
		}
		return nil
	}
	var at time.Time
	if json.Unmarshal(data, &at) != nil || at.Year() < 1970 || at.Year() > 9999 {
		return partError("expected a time in RFC 3339, or null")
	}
	*to = &at
	return nil
}

func readConditions(data json.RawMessage, to *sales.PromotionConditions) error {
	null, sent := presence(data)
	if !sent {
		return nil
	}
	*to = sales.PromotionConditions{}
	if null {
		return nil
	}
	var c conditions
	if why := parse(data, &c); why != "" {
		return partError("expected an object of numbers and lists of ids" + why)
	}
	switch {
	case c.MinTotal < 0 || c.MinTotal > maxMoney:
		return partError("min_total is 0 to 2000000000")
	case c.MinUnits < 0 || c.MinUnits > maxUnits*100:
		return partError("min_quantity is 0 to 999900")
	case len(c.Categories) > maxNamed || len(c.Products) > maxNamed || len(c.Exclude) > maxNamed || len(c.Groups) > maxNamed:
		return partError("a list may have at most 1000 ids")
	}
	*to = sales.PromotionConditions(c)
	return nil
}

func readValue(data json.RawMessage, to *sales.PromotionValue) error {
	null, sent := presence(data)
	if !sent {
		return nil
	}
	var v value
	if why := parse(data, &v); null || why != "" {
		return partError("expected percent or amount, or a product_id" + why)
	}
	*to = sales.PromotionValue{}
	if v.Percent != nil {
		n, why := points(*v.Percent)
		if why != "" {
			return partError("percent is " + why)
		}
		to.Points = n
	}
	if v.Amount != nil {
		if to.Amount = *v.Amount; to.Amount < 1 || to.Amount > maxMoney {
			return partError("amount is 1 to 2000000000")
		}
	}
	if v.Product != nil {
		to.Product, to.Variant, to.Quantity = *v.Product, v.Variant, 1
		api.Set(&to.Quantity, v.Quantity)
		if to.Quantity < 1 || to.Quantity > maxUnits {
			return partError("quantity is 1 to 9999")
		}
		if v.Per != nil {
			if to.Per = *v.Per; to.Per < 1 || to.Per > maxUnits {
				return partError("per_quantity is 1 to 9999")
			}
		}
	}
	return nil
}

// points converts a percentage to basis points, or returns why it is invalid.
func points(percent float64) (n int64, why string) {
	points := percent * 100
	if !(points >= 1 && points <= 10_000) || math.Abs(points-math.Round(points)) > 1e-6 {
		return 0, "0.01 to 100 with at most two decimals"
	}
	return int64(math.Round(points)), ""
}

func readLimits(data json.RawMessage, p *sales.Promotion) error {
	_, sent := presence(data)
	if !sent {
		return nil
	}
	var l limits
	if why := parse(data, &l); why != "" {
		return partError("expected total, per_buyer and budget, each a number or null" + why)
	}
	for _, n := range []*int64{l.Total, l.PerBuyer, l.Budget} {
		if n != nil && (*n < 1 || *n > 1e15) {
			return partError("a limit is at least 1, or null")
		}
	}
	p.Total, p.PerBuyer, p.Budget = l.Total, l.PerBuyer, l.Budget
	return nil
}

func readIssue(data json.RawMessage, p *sales.Promotion) error {
	null, sent := presence(data)
	if !sent {
		return nil
	}
	if p.Issue = nil; null {
		return nil
	}
	var i issue
	if why := parse(data, &i); why != "" {
		return partError("expected {on, min_total, days, prefix}" + why)
	}
	i.Prefix = strings.ToUpper(strings.TrimSpace(i.Prefix))
	switch {
	case i.On != "order_completed" && i.On != "":
		return partError("on is order_completed")
	case i.MinTotal < 0 || i.MinTotal > maxMoney:
		return partError("min_total is 0 to 2000000000")
	case i.Days < 0 || i.Days > 3650:
		return partError("days is 0 to 3650")
	case i.Prefix != "" && (!codeForm.MatchString(i.Prefix+"---") || len(i.Prefix) > 16):
		return partError("prefix has at most 16 characters of A-Z 0-9 _ -")
	}
	p.Issue = (*sales.PromotionIssue)(&i)
	return nil
}

// inconsistency checks the fields of a promotion together. It returns the field and the reason, or
// "".
func inconsistency(p *sales.Promotion) string {
	gift := p.Kind == "gift"
	switch {
	case p.Name == "":
		return "name: must not be empty"
	case utf8.RuneCountInString(p.Name) > maxName:
		return "name: at most 255 characters"
	case !slices.Contains(kinds, p.Kind):
		return "kind: one of " + strings.Join(kinds, ", ")
	case !slices.Contains(stackings, p.Stacking):
		return "stacking: stack or exclusive"
	case p.Priority < 0 || p.Priority > 1_000_000:
		return "priority: 0 to 1000000"
	case p.StartsAt != nil && p.EndsAt != nil && !p.EndsAt.After(*p.StartsAt):
		return "ends_at: must be after starts_at"
	case p.Kind == "coupon" && !codeForm.MatchString(p.Code):
		return "code: 3 to 32 characters of A-Z 0-9 _ -"
	case p.Kind != "coupon" && p.Code != "":
		return "code: only a coupon has a code"
	case gift && p.Value.Product == 0:
		return "value: a gift needs a product_id"
	case !gift && p.Value.Product != 0:
		return "value: only a gift has a product"
	case !gift && (p.Value.Points == 0) == (p.Value.Amount == 0):
		return "value: either percent or amount"
	case gift && (p.Value.Points != 0 || p.Value.Amount != 0):
		return "value: a gift has no percent or amount"
	case p.Kind != "personal_coupon" && p.Issue != nil:
		return "issue: only a personal_coupon issues codes"
	}
	return ""
}

// checkReferences checks that the entities a promotion refers to exist.
func checkReferences(ctx context.Context, r store.Reader, site *compile.Site, p sales.Promotion) error {
	named := slices.Concat(p.Conditions.Products, p.Conditions.Exclude)
	if p.Value.Product != 0 {
		named = append(named, p.Value.Product)
	}
	goods, err := catalog.CartProducts(ctx, r, named)
	if err != nil {
		return err
	}
	for _, id := range named {
		switch good := goods[id]; {
		case good == nil && id == p.Value.Product:
			return errInvalid.At("value").With("product " + id.String() + " does not exist in the shop")
		case good == nil:
			return errInvalid.At("conditions").With("product " + id.String() + " does not exist in the shop")
		case id == p.Value.Product && len(good.Set) > 0:
			return errInvalid.At("value").With("product " + id.String() + " is a combo, which cannot be a gift")
		case id == p.Value.Product && p.Value.Variant != 0 && good.Variant(p.Value.Variant) == nil:
			return errInvalid.At("value").With("variant " + p.Value.Variant.String() + " is not a variant of product " + id.String())
		case id == p.Value.Product && good.NeedsVariant(p.Value.Variant):
			return errInvalid.At("value.variant_id").With("product " + id.String() + " is counted by variant: name one")
		}
	}
	gone, err := people.UnknownCustomerGroups(ctx, r, p.Conditions.Groups)
	if err != nil {
		return err
	}
	for _, id := range gone {
		return errInvalid.At("conditions").With("customer group " + id.String() + " does not exist in the shop")
	}
	for _, id := range p.Conditions.Categories {
		if _, there := site.Category(id); !there {
			return errInvalid.At("conditions").With("category " + id.String() + " does not exist in the shop")
		}
	}
	return nil
}
