package load

import (
	"context"
	"sync"
	"time"

	"vitrine/compile"
	"vitrine/compile/redirect"
	"vitrine/internal/lru"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	redirectdb "vitrine/internal/store/redirect"
)

// maxCached bounds the cached sites, counted in rules and addresses of pages of all shops
// together; each takes a few hundred bytes.
const maxCached = 300_000

// CachedShop is a shop as one reader saw it. It is shared and immutable.
type CachedShop struct {
	Company companydb.Company // as the reader sees it
	Rules   []redirectdb.Rule // in their order, without their counters and times
	Site    *compile.Site

	version      int64 // of the shop
	rulesVersion int64 // of Rules, as stored
	size         int
}

// With returns the shop with another set of rules and the Site that contains it.
func (h CachedShop) With(rulesVersion int64, rules []redirectdb.Rule, site *compile.Site) CachedShop {
	h.size += len(rules) - len(h.Rules)
	h.Rules, h.Site, h.rulesVersion = rules, site, rulesVersion
	return h
}

// Sites caches the compiled sites of shops that were written to recently, so that a write
// reads only the changes since the last one and not the whole shop. Entries are validated
// by version: several processes may write, each with a separate cache. It is safe for
// concurrent use.
type Sites struct {
	hosts shop.Storefronts
	now   func() time.Time

	mu     sync.Mutex
	cached *lru.Weighted[shop.CompanyID, CachedShop]
}

// NewSites returns an empty cache; now is the clock for pages dated in the future.
func NewSites(hosts shop.Storefronts, now func() time.Time) *Sites {
	return &Sites{hosts: hosts, now: now, cached: lru.New[shop.CompanyID, CachedShop](maxCached)}
}

// Current returns the shop as seen by a reader that has not read or written before: a fresh
// snapshot, or a transaction that holds LockRules. In a transaction pages may be newer than
// their version; rules are exact.
func (s *Sites) Current(ctx context.Context, r store.Reader) (CachedShop, error) {
	cached, found := s.get(r.Company) // before the reader's first query, so it is no newer
	company, err := companydb.Info(ctx, r)
	if err != nil {
		return CachedShop{}, err
	}
	if found {
		if found, err = s.catchUp(ctx, r, &cached, company); err != nil {
			return CachedShop{}, err
		}
	}
	if !found {
		if cached, err = s.read(ctx, r, company); err != nil {
			return CachedShop{}, err
		}
	}
	cached.Company, cached.Site = company, cached.Site.AtTime(s.now())
	s.Cache(cached)
	return cached, nil
}

// After returns the shop with the changes of a transaction; they are not committed yet, so
// the result is not cached.
func (s *Sites) After(ctx context.Context, r store.Reader, h CachedShop, changed ...shop.Key) (*compile.Site, error) {
	delta, err := Delta(ctx, r, changed, s.hosts)
	if err != nil {
		return nil, err
	}
	return h.Site.With(delta), nil
}

// WriteWithoutLoops runs a write that may change addresses of pages, and refuses it when rules
// would then loop through them: loop.ErrLoop or loop.ErrChainTooLong (document 3, 4.5). The
// transaction is one of the live contour; a draft is checked against the rules when it is
// published.
func (s *Sites) WriteWithoutLoops(ctx context.Context, tx *store.Tx, write func() error) error {
	if _, err := tx.LockRules(ctx); err != nil {
		return err
	}
	rules, err := redirectdb.HasRules(ctx, tx.Reader)
	if err != nil {
		return err
	}
	if !rules {
		return write()
	}
	before, err := s.Current(ctx, tx.Reader)
	if err != nil {
		return err
	}
	if err := write(); err != nil {
		return err
	}
	after, err := s.After(ctx, tx.Reader, before, tx.Changes()...)
	if err != nil {
		return err
	}
	return after.CheckLoops(before.Site)
}

// read compiles a shop from all its rows.
func (s *Sites) read(ctx context.Context, r store.Reader, company companydb.Company) (h CachedShop, err error) {
	in, err := Input(ctx, r, company, s.hosts)
	if err != nil {
		return h, err
	}
	if h.Rules, err = rulesOf(ctx, r); err != nil {
		return h, err
	}
	in.Rules = CompilerRules(h.Rules)
	h.Site, h.version, h.rulesVersion = compile.New(in), company.Version, company.RulesVersion
	h.size = len(in.Rules) + len(in.Categories) + len(in.Products) + len(in.Articles) + len(in.Journal)
	return h, nil
}

// catchUp applies the changes since h; ok is false when these are no longer kept.
func (s *Sites) catchUp(ctx context.Context, r store.Reader, h *CachedShop, company companydb.Company) (ok bool, err error) {
	if h.version == company.Version && h.rulesVersion == company.RulesVersion {
		return true, nil
	}
	if h.rulesVersion > company.RulesVersion {
		return false, nil
	}
	keys, version, whole, err := r.Changes(ctx, h.version)
	if err != nil || whole || version < company.Version {
		return false, err
	}
	delta, err := Delta(ctx, r, withoutRules(keys), s.hosts)
	if err != nil {
		return false, err
	}
	if h.rulesVersion != company.RulesVersion {
		edits, kept, err := redirectdb.RulesSince(ctx, r, h.rulesVersion, company.RulesVersion)
		if err != nil {
			return false, err
		}
		if kept {
			h.Rules, err = redirectdb.RedoRules(h.Rules, edits)
		} else {
			h.Rules, err = rulesOf(ctx, r)
		}
		if err != nil {
			return false, err
		}
		delta.Rules = CompilerRules(h.Rules)
	}
	h.size += len(delta.Products) + len(delta.Articles) + len(delta.Rules) - len(h.Site.Rules())
	if delta.Rules == nil {
		h.size += len(h.Site.Rules())
	}
	h.Site, h.version, h.rulesVersion = h.Site.With(delta), version, company.RulesVersion
	return true, nil
}

func withoutRules(keys []shop.Key) (others []shop.Key) {
	for _, key := range keys {
		if key.Kind != shop.KeyRules {
			others = append(others, key)
		}
	}
	return others
}

// rulesOf reads the set without its counters, which do not change its version.
func rulesOf(ctx context.Context, r store.Reader) ([]redirectdb.Rule, error) {
	rows, err := redirectdb.Rules(ctx, r)
	for i := range rows {
		rows[i].Hits, rows[i].LastHitAt = 0, nil
	}
	return rows, err
}

// CompilerRules converts stored rules for the compiler; the result is never nil.
func CompilerRules(rows []redirectdb.Rule) []redirect.Rule {
	rules := make([]redirect.Rule, len(rows))
	for i, row := range rows {
		rules[i] = Rule(row)
	}
	return rules
}

func (s *Sites) get(company shop.CompanyID) (CachedShop, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cached.Get(company)
}

// Cache caches a shop for the next reader, unless a newer one is cached. Changes of a
// transaction are cached after its commit and not before. A shop larger than the whole
// cache is cached alone.
func (s *Sites) Cache(h CachedShop) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, found := s.cached.Get(h.Company.ID)
	newer := old.rulesVersion > h.rulesVersion || old.rulesVersion == h.rulesVersion && old.version > h.version
	if found && newer && store.SameEra(old.version, h.version) {
		return
	}
	s.cached.Put(h.Company.ID, h, int64(min(h.size, maxCached)))
}
