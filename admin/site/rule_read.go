package site

import (
	"context"
	"strconv"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/compile/redirect"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

type checkRequest struct {
	URL string `query:"url" json:"-" doc:"an address of the shop, path and query"`
}

func (s *Site) checkAddress(ctx context.Context, c *api.Call, in checkRequest) (api.Result[compile.Trace], error) {
	if in.URL == "" {
		return api.Result[compile.Trace]{}, shop.ErrInvalidRequest.With("url is missing")
	}
	var trace compile.Trace
	err := s.store.Snapshot(ctx, c.Company, func(r store.Reader) error {
		site, err := load.Site(ctx, r, s.hosts)
		if err == nil {
			trace = site.Check(in.URL)
		}
		return err
	})
	return api.Wrap(trace), err
}

func (s *Site) exportRules(ctx context.Context, c *api.Call, _ api.None) (api.Raw, error) {
	rules, err := load.Rules(ctx, s.store.Shop(c.Company))
	return api.Raw{ContentType: "text/csv; charset=utf-8", Body: redirect.WriteCSV(rules)}, err
}

type ruleSetRequest struct {
	Slug   string `query:"slug" json:"-" doc:"the slug that something has or once had"`
	Domain string `query:"domain" json:"-" doc:"the host of a shop with a domain of its own"`
}

// compiledRule is an enabled rule as a storefront compares it.
type compiledRule struct {
	Key       string      `json:"k"` // the comparison key, stars included
	ID        shop.RuleID `json:"id"`
	To        string      `json:"to"`
	Code      int         `json:"code"`
	External  bool        `json:"ext"`
	Override  bool        `json:"ovr"`
	DropQuery bool        `json:"dq"`
	Query     string      `json:"q"`
}

type compiledSet struct {
	Version shop.Int64     `json:"version"`
	Exact   []compiledRule `json:"exact"`
	Pattern []compiledRule `json:"pattern"`
	Prefix  []compiledRule `json:"prefix"`
}

// ruleSet answers anybody who knows the shop's address, unless the shop is
// behind a PIN.
func (s *Site) ruleSet(ctx context.Context, c *api.Call, in ruleSetRequest) (api.Result[compiledSet], error) {
	out := compiledSet{Exact: []compiledRule{}, Pattern: []compiledRule{}, Prefix: []compiledRule{}}
	id, err := s.shopNamed(ctx, c, in)
	if err != nil {
		return api.Wrap(out), err
	}
	err = s.store.Snapshot(ctx, id, func(r store.Reader) error {
		info, err := r.Info(ctx)
		if err == nil && info.Closed {
			err = store.ErrShopNotFound
		}
		if err != nil {
			return err
		}
		rules, err := load.Rules(ctx, r)
		out.Version = shop.Int64(info.RulesVersion)
		out.fill(rules)
		return err
	})
	if err == nil {
		c.SetHeader("ETag", `"rules-`+id.String()+"-"+out.Version.String()+`"`)
	}
	return api.Wrap(out), err
}

func (s *Site) shopNamed(ctx context.Context, c *api.Call, in ruleSetRequest) (shop.CompanyID, error) {
	var company store.Company
	var err error
	switch {
	case in.Slug != "":
		company, err = s.store.CompanyBySlug(ctx, in.Slug)
	case in.Domain != "":
		company, err = s.store.CompanyByDomain(ctx, in.Domain)
	default:
		return c.Tenant(0, shop.ErrInvalidRequest.With("name the shop by slug or domain"))
	}
	return company.ID, err
}

// fill sorts the rules that take part in matching by kind. Rules come in their
// order.
func (s *compiledSet) fill(rules []redirect.Rule) {
	for r := range redirect.NewSet(rules).All() {
		row := compiledRule{
			Key: printable(r.Key()), ID: r.ID, To: r.To, Code: r.Code, External: r.External, Override: r.OverrideLive, DropQuery: r.DropQuery, Query: r.QueryMatch,
		}
		switch r.Kind {
		case redirect.Pattern:
			s.Pattern = append(s.Pattern, row)
		case redirect.Prefix:
			s.Prefix = append(s.Prefix, row)
		default:
			s.Exact = append(s.Exact, row)
		}
	}
}

// printable escapes bytes that are no UTF-8, which JSON cannot carry.
func printable(key string) string {
	if utf8.ValidString(key) {
		return key
	}
	var out []byte
	for i := 0; i < len(key); {
		r, size := utf8.DecodeRuneInString(key[i:])
		if r == utf8.RuneError && size == 1 {
			out = append(out, '%')
			out = append(out, strconv.FormatInt(0x100|int64(key[i]), 16)[1:]...)
		} else {
			out = append(out, key[i:i+size]...)
		}
		i += size
	}
	return string(out)
}
