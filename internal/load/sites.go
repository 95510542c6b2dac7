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
)

// maxHeld bounds what Sites keeps, counted in rules and addresses of pages of
// all shops together; one takes a few hundred bytes.
const maxHeld = 300_000

// Held is a shop as one reader saw it. It is shared and never changed.
type Held struct {
	Company store.Company // as the reader sees it
	Rules   []store.Rule  // in their order, without their counters
	Site    *compile.Site

	version      int64 // of the shop
	rulesVersion int64 // of Rules
	size         int
}

// With is the shop with another set of rules and the Site that has them.
func (h Held) With(rulesVersion int64, rules []store.Rule, site *compile.Site) Held {
	h.size += len(rules) - len(h.Rules)
	h.Rules, h.Site, h.rulesVersion = rules, site, rulesVersion
	return h
}

// Sites keeps the shops compiled that were written to lately, so that a write
// reads what is new since the last one and not the whole shop. It is valid by
// version: several processes may write, each keeps its own. Safe for concurrent
// use.
type Sites struct {
	hosts shop.Storefronts
	now   func() time.Time

	mu   sync.Mutex
	held *lru.Weighted[shop.CompanyID, Held]
}

// NewSites makes an empty one, with the clock for what is dated ahead.
func NewSites(hosts shop.Storefronts, now func() time.Time) *Sites {
	return &Sites{hosts: hosts, now: now, held: lru.New[shop.CompanyID, Held](maxHeld)}
}

// Current is the shop as a reader sees it that has not read or written before:
// a fresh snapshot, or a transaction that holds LockRules. In a transaction
// pages may be newer than their version says; rules are exact.
func (s *Sites) Current(ctx context.Context, r store.Reader) (Held, error) {
	held, known := s.take(r.Company) // before the reader looks, so it is no newer
	company, err := r.Info(ctx)
	if err != nil {
		return Held{}, err
	}
	if known {
		if known, err = s.catchUp(ctx, r, &held, company); err != nil {
			return Held{}, err
		}
	}
	if !known {
		if held, err = s.read(ctx, r, company); err != nil {
			return Held{}, err
		}
	}
	held.Company, held.Site = company, held.Site.At(s.now())
	s.Keep(held)
	return held, nil
}

// After is the shop with what a transaction has changed of it since; nobody else
// sees that yet, so it is not kept.
func (s *Sites) After(ctx context.Context, r store.Reader, h Held, changed ...shop.Key) (*compile.Site, error) {
	delta, err := Delta(ctx, r, changed, s.hosts)
	if err != nil {
		return nil, err
	}
	return h.Site.With(delta), nil
}

// Unbroken runs a write that may give pages other addresses, and refuses it when
// rules would then run in a circle through them: loop.ErrLoop or
// loop.ErrChainTooLong (document 3, 4.5). The transaction is one of the live
// contour; a draft meets the rules when it is published.
func (s *Sites) Unbroken(ctx context.Context, tx *store.Tx, write func() error) error {
	if _, err := tx.LockRules(ctx); err != nil {
		return err
	}
	rules, err := tx.HasRules(ctx)
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
func (s *Sites) read(ctx context.Context, r store.Reader, company store.Company) (h Held, err error) {
	in, err := Input(ctx, r, company, s.hosts)
	if err != nil {
		return h, err
	}
	if h.Rules, err = rulesOf(ctx, r); err != nil {
		return h, err
	}
	in.Rules = Compiled(h.Rules)
	h.Site, h.version, h.rulesVersion = compile.New(in), company.Version, company.RulesVersion
	h.size = len(in.Rules) + len(in.Categories) + len(in.Products) + len(in.Articles) + len(in.Journal)
	return h, nil
}

// catchUp brings in what is new; known is false when that is no longer kept.
func (s *Sites) catchUp(ctx context.Context, r store.Reader, h *Held, company store.Company) (known bool, err error) {
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
		edits, kept, err := r.RulesSince(ctx, h.rulesVersion, company.RulesVersion)
		if err != nil {
			return false, err
		}
		if kept {
			h.Rules, err = store.RedoRules(h.Rules, edits)
		} else {
			h.Rules, err = rulesOf(ctx, r)
		}
		if err != nil {
			return false, err
		}
		delta.Rules = Compiled(h.Rules)
	}
	h.size += len(delta.Products) + len(delta.Articles) + len(delta.Rules) - len(h.Site.Rules())
	if delta.Rules == nil {
		h.size += len(h.Site.Rules())
	}
	h.Site, h.version, h.rulesVersion = h.Site.With(delta), version, company.RulesVersion
	return true, nil
}

func withoutRules(keys []shop.Key) (rest []shop.Key) {
	for _, key := range keys {
		if key.Kind != shop.KeyRules {
			rest = append(rest, key)
		}
	}
	return rest
}

// rulesOf reads the set without its counters, which make no version.
func rulesOf(ctx context.Context, r store.Reader) ([]store.Rule, error) {
	rows, err := r.Rules(ctx)
	for i := range rows {
		rows[i].Hits, rows[i].LastHitAt = 0, nil
	}
	return rows, err
}

// Compiled is stored rules as the compiler takes them; not nil.
func Compiled(rows []store.Rule) []redirect.Rule {
	rules := make([]redirect.Rule, len(rows))
	for i, row := range rows {
		rules[i] = Rule(row)
	}
	return rules
}

func (s *Sites) take(company shop.CompanyID) (Held, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held.Get(company)
}

// Keep holds a shop for the next reader, unless a newer one is held. What a
// transaction wrote is kept after its commit and not before. A shop that is
// larger than all that is kept has it for itself.
func (s *Sites) Keep(h Held) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, known := s.held.Get(h.Company.ID)
	if known && (old.rulesVersion > h.rulesVersion || old.rulesVersion == h.rulesVersion && old.version > h.version) {
		return
	}
	s.held.Put(h.Company.ID, h, int64(min(h.size, maxHeld)))
}
