package assist

import (
	"context"
	"fmt"
	"sync"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/flight"
	"vitrine/internal/httpsig"
	"vitrine/internal/lru"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/assist"
)

const (
	// keyOverlap is how long a key that was replaced stays published.
	keyOverlap = 7 * 24 * time.Hour
	// keyNotice is how long a key that replaces another is published before it signs: all processes
	// have read it by then, and profiles without it are no longer cached.
	keyNotice = 10 * time.Minute
	// keysKept is how long a process does without reading the keys of a shop again.
	keysKept = time.Minute
	// keyedShops bounds the shops whose keys are in memory.
	keyedShops = 10_000
)

// Keys are the keys with which shops sign their messages to platforms: one on P-256 each, made when it
// is first needed. It is safe for concurrent use.
type Keys struct {
	store  *store.Store
	sealer *secret.Sealer
	now    func() time.Time

	flights flight.Group
	mu      sync.Mutex
	cached  *lru.Weighted[shop.CompanyID, keySet]
}

// keySet is the keys of a shop as they were read.
type keySet struct {
	public []httpsig.JWK // newest first
	keys   []httpsig.Private
	since  []time.Time
	readAt time.Time
}

// NewKeys returns the keys of the shops in a store.
func NewKeys(s *store.Store, sealer *secret.Sealer, now func() time.Time) *Keys {
	return &Keys{store: s, sealer: sealer, now: now, cached: lru.New[shop.CompanyID, keySet](keyedShops)}
}

// Public returns the keys that a shop publishes, as stored: its profile is kept for longer than keys are
// here.
func (ks *Keys) Public(ctx context.Context, company shop.CompanyID) ([]httpsig.JWK, error) {
	set, err := ks.read(ctx, company)
	return set.public, err
}

// Sign returns the fields that a shop adds to a message to sign it.
func (ks *Keys) Sign(ctx context.Context, company shop.CompanyID, m httpsig.Message) (map[string]string, error) {
	set, err := ks.of(ctx, company)
	if err != nil {
		return nil, err
	}
	now := ks.now()
	key := set.keys[len(set.keys)-1]
	for i, k := range set.keys {
		if !set.since[i].After(now.Add(-keyNotice)) {
			key = k
			break
		}
	}
	return httpsig.Sign(m, key, now)
}

func (ks *Keys) of(ctx context.Context, company shop.CompanyID) (keySet, error) {
	ks.mu.Lock()
	set, found := ks.cached.Get(company)
	ks.mu.Unlock()
	if found && ks.now().Sub(set.readAt) < keysKept {
		return set, nil
	}
	read, err := ks.flights.Do(ctx, company.String(), func() (any, error) { return ks.read(ctx, company) })
	if err != nil {
		return set, err
	}
	set = read.(keySet) //nolint:forcetypeassert // of the function above
	ks.mu.Lock()
	defer ks.mu.Unlock()
	ks.cached.Put(company, set, 1)
	return set, nil
}

// read reads the keys of a shop, and makes the first one.
func (ks *Keys) read(ctx context.Context, company shop.CompanyID) (set keySet, err error) {
	set.readAt = ks.now()
	list, err := assist.Keys(ctx, ks.store.Shop(company), set.readAt)
	if err == nil && len(list) == 0 {
		if list, err = ks.first(ctx, company); err != nil {
			return set, err
		}
	}
	for _, k := range list {
		text, failed := ks.sealer.Open(k.Sealed, keyContext(company))
		if failed != nil {
			return set, failed
		}
		key, failed := httpsig.ParseKey(text)
		if failed != nil {
			return set, failed
		}
		set.public, set.keys, set.since = append(set.public, key.Public), append(set.keys, key), append(set.since, k.CreatedAt)
	}
	return set, err
}

func (ks *Keys) first(ctx context.Context, company shop.CompanyID) ([]assist.Key, error) {
	k, err := ks.make(company)
	if err != nil {
		return nil, err
	}
	added := false
	err = ks.store.Write(ctx, company, func(tx *store.Tx) error {
		added, err = assist.AddKey(ctx, tx, k)
		return err
	})
	if err != nil || added {
		return []assist.Key{k}, err
	}
	return assist.Keys(ctx, ks.store.Shop(company), ks.now())
}

func (ks *Keys) make(company shop.CompanyID) (k assist.Key, err error) {
	key, err := httpsig.NewKey()
	if err != nil {
		return k, err
	}
	text, err := key.Bytes()
	return assist.Key{ID: key.Public.ID, Sealed: ks.sealer.Seal(text, keyContext(company)), CreatedAt: ks.now().UTC()}, err
}

// keyContext returns the context that the keys of a shop are sealed with.
func keyContext(company shop.CompanyID) string { return fmt.Sprintf("shop %d signing", company) }

// Endpoints lists the endpoints about keys.
func (ks *Keys) Endpoints() []api.Endpoint {
	return []api.Endpoint{{
		Method: "POST", Path: "/v1/shop/assistants/key/rotate", Auth: api.SessionOnly, Manage: api.ErrRole, Contour: api.LiveOnly, Class: api.Write, Do: api.Handle(ks.rotate),
		Summary: "Replace the key that signs messages to assistants: the new one signs after 10 minutes, the former one is published for 7 more days",
	}}
}

// rotate replaces the key of the caller's shop.
func (ks *Keys) rotate(ctx context.Context, c *api.Call, _ api.None) (none api.None, err error) {
	if _, err := ks.of(ctx, c.Company); err != nil { // makes the one to replace
		return none, err
	}
	k, err := ks.make(c.Company)
	if err != nil {
		return none, err
	}
	return none, ks.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		tx.Changed(shop.Key{Kind: shop.KeyShop}) // profiles are made again
		return assist.ReplaceKey(ctx, tx, k, k.CreatedAt.Add(keyOverlap))
	})
}
