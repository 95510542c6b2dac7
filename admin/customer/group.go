package customer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// maxMoney is the largest amount in a rule.
const maxMoney = 1_000_000_000_000

// groupView is a group of customers.
type groupView struct {
	ID        shop.CustomerGroupID `json:"id"`
	Name      string               `json:"name"`
	Rule      *rule                `json:"rule" doc:"null: customers are assigned by hand"`
	CreatedAt time.Time            `json:"created_at"`
	UpdatedAt time.Time            `json:"updated_at"`
}

// rule assigns customers to a group; exactly one field is set.
type rule struct {
	SpentMoreThan *int64  `json:"spent_more_than,omitempty" doc:"in the smallest price unit of the shop"`
	OrderedSince  *string `json:"ordered_since,omitempty" doc:"RFC 3339, or a date, which means midnight UTC"`
}

func viewGroup(g people.CustomerGroup) groupView {
	v := groupView{ID: g.ID, Name: g.Name, CreatedAt: g.CreatedAt.UTC(), UpdatedAt: g.UpdatedAt.UTC()}
	if g.SpentMoreThan != nil {
		v.Rule = &rule{SpentMoreThan: g.SpentMoreThan}
	}
	if g.OrderedSince != nil {
		at := g.OrderedSince.UTC().Format(time.RFC3339)
		v.Rule = &rule{OrderedSince: &at}
	}
	return v
}

func (cs *Customers) groups(ctx context.Context, c *api.Call, in api.Paging) (out api.Result[api.Page[groupView]], err error) {
	number, limit, err := in.Page(pageSize)
	if err != nil {
		return out, err
	}
	list, err := people.CustomerGroups(ctx, cs.Store.Shop(c.Company))
	out.Result = api.Page[groupView]{Items: []groupView{}, Total: len(list), CurrentPage: number}
	for _, g := range list[min((number-1)*limit, len(list)):min(number*limit, len(list))] {
		out.Result.Items = append(out.Result.Items, viewGroup(g))
	}
	return out, err
}

type groupPath struct {
	ID shop.CustomerGroupID `path:"id" json:"-"`
}

func (cs *Customers) group(ctx context.Context, c *api.Call, in groupPath) (api.Result[groupView], error) {
	g, err := people.GetCustomerGroup(ctx, cs.Store.Shop(c.Company), in.ID)
	return api.Wrap(viewGroup(g)), err
}

// groupFields are the fields of a group in a request; nil if not sent. A rule of null removes
// the rule.
type groupFields struct {
	Name *string          `json:"name" required:"POST" len:"255" refuse:"CUSTOMER_GROUP_INVALID" doc:"without ; and line breaks"`
	Rule shop.JSON[*rule] `json:"rule" doc:"null removes the rule"`
}

func (f groupFields) onto(g *people.CustomerGroup) error {
	if f.Name != nil {
		g.Name = strings.TrimSpace(*f.Name)
	}
	if g.Name == "" || strings.ContainsAny(g.Name, ";\r\n") || utf8.RuneCountInString(g.Name) > maxName {
		return errGroup.At("name").With("1 to 255 characters, without ; and line breaks")
	}
	if len(f.Rule) == 0 {
		return nil
	}
	return readRule(json.RawMessage(f.Rule), g)
}

// readRule sets the rule of a group to that of a request.
func readRule(sent json.RawMessage, g *people.CustomerGroup) error {
	g.SpentMoreThan, g.OrderedSince = nil, nil
	if bytes.Equal(sent, []byte("null")) {
		return nil
	}
	var r rule
	if err := json.Unmarshal(sent, &r); err != nil || (r.SpentMoreThan == nil) == (r.OrderedSince == nil) {
		return errGroup.At("rule").With("{spent_more_than: number}, {ordered_since: time} or null")
	}
	if n := r.SpentMoreThan; n != nil && (*n < 0 || *n > maxMoney) {
		return errGroup.At("rule").With("spent_more_than must be 0 to 1000000000000")
	}
	g.SpentMoreThan = r.SpentMoreThan
	if r.OrderedSince == nil {
		return nil
	}
	for _, form := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(form, *r.OrderedSince); err == nil && at.Year() >= 1 && at.Year() <= 9999 {
			g.OrderedSince = &at
			return nil
		}
	}
	return errGroup.At("rule").With("ordered_since must be a time in RFC 3339, or a date such as 2026-11-23")
}

func (cs *Customers) createGroup(ctx context.Context, c *api.Call, in groupFields) (api.Result[groupView], error) {
	return cs.saveGroup(ctx, c, 0, in)
}

type changeGroupRequest struct {
	groupPath
	api.Basis
	groupFields
}

func (cs *Customers) changeGroup(ctx context.Context, c *api.Call, in changeGroupRequest) (api.Result[groupView], error) {
	return cs.saveGroup(ctx, c, in.ID, in.groupFields)
}

func (cs *Customers) saveGroup(ctx context.Context, c *api.Call, id shop.CustomerGroupID, in groupFields) (out api.Result[groupView], err error) {
	err = cs.Store.Write(ctx, c.Company, func(tx *store.Tx) (err error) {
		if err := tx.LockPricing(ctx); err != nil {
			return err
		}
		var g people.CustomerGroup
		if id != 0 {
			if g, err = people.GetCustomerGroup(ctx, tx.Reader, id); err == nil {
				err = tx.CheckBasis(g.UpdatedAt)
			}
		}
		if err == nil {
			err = in.onto(&g)
		}
		if err == nil {
			g, err = people.SaveCustomerGroup(ctx, tx, g)
		}
		out = api.Wrap(viewGroup(g))
		return err
	})
	return out, err
}

func (cs *Customers) removeGroup(ctx context.Context, c *api.Call, in groupPath) (out api.None, err error) {
	return out, cs.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if err := errors.Join(tx.LockPricing(ctx), tx.LockPolicies(ctx)); err != nil {
			return err
		}
		return people.DeleteCustomerGroup(ctx, tx, in.ID)
	})
}

type previewRequest struct {
	Rule shop.JSON[rule] `json:"rule" required:"always" doc:"{spent_more_than} or {ordered_since}"`
}

type previewView struct {
	Count int `json:"count" doc:"how many customers the rule matches now"`
}

// previewGroup counts the customers that a rule would put into a group.
func (cs *Customers) previewGroup(ctx context.Context, c *api.Call, in previewRequest) (out api.Result[previewView], err error) {
	var g people.CustomerGroup
	if len(in.Rule) > 0 {
		err = readRule(json.RawMessage(in.Rule), &g)
	}
	if err == nil && !g.HasRule() {
		err = errGroup.At("rule").With("{spent_more_than: number} or {ordered_since: time}")
	}
	if err == nil {
		out.Result.Count, err = people.CountCustomersOf(ctx, cs.Store.Shop(c.Company), g)
	}
	return out, err
}
