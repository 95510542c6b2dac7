package redirect

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/compile/redirect"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
)

// compiledRule is an enabled rule in the form that a storefront matches.
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

// compiledSets caches the compiled set of each requested shop, for one version of the set. A
// storefront that polls every few seconds therefore only costs a lookup of the version. The cache
// is cleared when it exceeds maxCompiled bytes.
type compiledSets struct {
	mu    sync.Mutex
	shops map[shop.CompanyID]*compiledAnswer
	bytes int
}

const maxCompiled = 64 << 20

// compiledAnswer is the response for one shop. Its lock is held while the response is compiled,
// so that concurrent requests compile it once.
type compiledAnswer struct {
	mu      sync.Mutex
	version int64
	raw     api.Raw
}

func (s *compiledSets) of(id shop.CompanyID) *compiledAnswer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shops == nil || s.bytes > maxCompiled {
		s.shops, s.bytes = map[shop.CompanyID]*compiledAnswer{}, 0
	}
	a := s.shops[id]
	if a == nil {
		a = &compiledAnswer{}
		s.shops[id] = a
	}
	return a
}

// at returns the response of a version, compiling it if it is not cached. It does not replace a
// cached response of a later version.
func (s *compiledSets) at(id shop.CompanyID, version int64, makeSet func() (api.Raw, error)) (api.Raw, error) {
	a := s.of(id)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.version == version {
		return a.raw, nil
	}
	raw, err := makeSet()
	if err == nil && version > a.version {
		s.mu.Lock()
		s.bytes += len(raw.Body) - len(a.raw.Body)
		s.mu.Unlock()
		a.version, a.raw = version, raw
	}
	return raw, err
}

// ruleSet is public: it answers every caller that names the shop, unless the shop is closed
// behind a PIN. A caller that already has this version gets a 304.
func (rs *Redirects) ruleSet(ctx context.Context, c *api.Call, in api.ShopName) (out api.Raw, err error) {
	id, err := c.ShopByAddress(ctx, rs.store, in)
	if err != nil {
		return out, err
	}
	err = rs.store.Snapshot(ctx, id, func(r store.Reader) error {
		info, err := company.Info(ctx, r)
		if err == nil && info.Closed {
			err = store.ErrShopNotFound
		}
		if err != nil {
			return err
		}
		if info.HasPolicies && c.Visitor(id) {
			// Closed resources depend on the whole shop, so the set is cached by the version of
			// the shop.
			out, err = rs.open.at(id, info.Version, func() (api.Raw, error) { return rs.publicSet(ctx, r, info.RulesVersion) })
			return err
		}
		out, err = rs.compiled.at(id, r.Version(info.RulesVersion), func() (api.Raw, error) { return compileSet(ctx, r, info.RulesVersion, nil) })
		return err
	})
	return out, err
}

// publicSet returns the set without rules that reveal closed resources. Visitors with access get
// the same set; the storefront resolves such rules for them.
func (rs *Redirects) publicSet(ctx context.Context, r store.Reader, version int64) (api.Raw, error) {
	site, err := load.Site(ctx, r, rs.hosts)
	if err != nil {
		return api.Raw{}, err
	}
	return compileSet(ctx, r, version, site.ClosedRule)
}

// compileSet returns the response with the rules for which without is false.
func compileSet(ctx context.Context, r store.Reader, version int64, without func(redirect.Rule) bool) (api.Raw, error) {
	rules, err := load.Rules(ctx, r)
	if err != nil {
		return api.Raw{}, err
	}
	if without != nil {
		rules = slices.DeleteFunc(rules, without)
	}
	set := compiledSet{Version: shop.Int64(version), Exact: []compiledRule{}, Pattern: []compiledRule{}, Prefix: []compiledRule{}}
	set.fill(rules)
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	err = enc.Encode(api.Wrap(set))
	return api.Document("application/json; charset=utf-8", body.Bytes(), api.Revalidate), err
}

// fill distributes the enabled rules by kind, keeping their order.
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

// printable escapes bytes that are not valid UTF-8, which JSON cannot contain.
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
