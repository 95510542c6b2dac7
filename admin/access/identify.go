package access

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
)

// Identify returns the identity of the caller. An unknown token is refused; without a token the
// caller is anonymous (document 1, section 5). A session created on a shop's host is valid on
// that host only.
func (a *Access) Identify(ctx context.Context, sent api.Credentials) (api.Identity, error) {
	switch {
	case sent.Token == "":
		return api.Identity{}, nil
	case secret.WellFormed(sent.Token, secret.Key):
		return a.byKey(ctx, sent, people.KeyByHash)
	case secret.WellFormed(sent.Token, secret.Access):
		return a.byKey(ctx, sent, people.KeyByAccessToken)
	case secret.WellFormed(sent.Token, secret.Session):
		return a.bySession(ctx, sent)
	}
	return api.Identity{}, api.ErrUnauthenticated.With("this is not a valid token")
}

// find reads the key that belongs to the hash of a token.
type find func(ctx context.Context, s *store.Store, hash []byte, now time.Time) (people.APIKey, bool, error)

func (a *Access) byKey(ctx context.Context, sent api.Credentials, find find) (api.Identity, error) {
	now := a.now()
	key, found, err := find(ctx, a.store, secret.Hash(sent.Token), now)
	if err != nil {
		return api.Identity{}, err
	}
	// Lowering a role revokes the keys with sensitive scopes (document 1, section 5). This
	// check applies the same rule to a role that was changed directly in the database.
	if !found || !key.Role.CanManage() && slices.ContainsFunc(key.Scopes, shop.Scope.Sensitive) {
		return api.Identity{}, api.ErrUnauthenticated.With("the key is unknown, revoked or expired")
	}
	if key.ShopDeleted {
		return api.Identity{}, store.ErrShopDeleted
	}
	if err := a.checkNamed(ctx, sent.Shop, key.Company); err != nil {
		return api.Identity{}, err
	}
	if key.LastUsedAt == nil || now.Sub(*key.LastUsedAt) > useKept {
		a.keyUses.note(key.ID, people.KeyUse{Company: key.Company, Key: key.ID, At: now})
	}
	return api.Identity{
		Person: key.Person, Company: key.Company, Role: key.Role, Contour: key.Contour, Key: key.ID, Scopes: key.Scopes,
	}, nil
}

func (a *Access) bySession(ctx context.Context, sent api.Credentials) (api.Identity, error) {
	now := a.now()
	session, found, err := people.SessionByHash(ctx, a.store, secret.Hash(sent.Token), now)
	if err != nil {
		return api.Identity{}, err
	}
	if !found {
		return api.Identity{}, api.ErrUnauthenticated.With("the session has ended")
	}
	person, bound := session.Person, session.Bound
	if bound != 0 && bound != sent.Storefront {
		return api.Identity{}, api.ErrUnauthenticated.With("this session was made on a shop's host and is valid there only")
	}
	if sent.Storefront != 0 {
		if err := a.checkNamed(ctx, sent.Shop, sent.Storefront); err != nil {
			return api.Identity{}, err
		}
	}
	if session.LastUsedAt == nil || now.Sub(*session.LastUsedAt) > useKept {
		a.sessionUses.note(session.ID, people.SessionUse{Person: person, Session: session.ID, At: now})
	}
	who := api.Identity{Person: person, Contour: shop.Prod, Bound: bound, Fresh: now.Sub(session.ProvenAt) <= freshFor, HasFactor: session.HasFactor}
	if bound != 0 {
		return who, nil
	}
	acting, err := a.actsIn(ctx, person, sent)
	if err != nil {
		return api.Identity{}, err
	}
	who.LacksFactor = acting.NeedsFactor && !session.HasFactor
	if acting.Deleted {
		who.Deleted = acting.Company
	} else {
		who.Company, who.Role = acting.Company, acting.Role
	}
	if sent.Contour == string(shop.Dev) {
		who.Contour = shop.Dev
	}
	return who, nil
}

// actsIn returns the shop that a person's call is about, and their role in it: the one named in
// X-Vitrine-Shop, else their main one. Two windows with two shops name one each, so neither
// changes where the other writes.
func (a *Access) actsIn(ctx context.Context, person shop.UserID, sent api.Credentials) (people.Acting, error) {
	if sent.Shop == "" || sent.Storefront != 0 {
		return people.ActsInMain(ctx, a.store, person)
	}
	acting, err := people.ActsIn(ctx, a.store, person, sent.Shop)
	if err == nil && acting.Company == 0 {
		err = errNotMember // the same for a shop that does not exist
	}
	return acting, err
}

// checkNamed refuses a call that can only be about one shop and names another one.
func (a *Access) checkNamed(ctx context.Context, named string, only shop.CompanyID) error {
	if named == "" || named == only.String() {
		return nil
	}
	company, err := companydb.Info(ctx, a.store.Shop(only))
	if err == nil && company.Slug != named {
		err = errOtherShop
	}
	return err
}

var (
	errNotMember = api.ErrNoCompany.With("X-Vitrine-Shop: you are not a member of this shop")
	errOtherShop = api.ErrNoCompany.With("X-Vitrine-Shop: this call can only be about the shop of the key or host")
)

const (
	useKept  = time.Minute      // precision of the time of the last use of a key or session
	freshFor = 10 * time.Minute // how long a proof of identity counts for sensitive calls
)

// uses collects when keys or sessions were used, so that calls do not wait for a write. Its size
// is limited by the number of them in use; a crash loses about a second of it.
type uses[ID comparable, Use any] struct {
	mu   sync.Mutex
	last map[ID]Use
}

func (u *uses[ID, Use]) note(id ID, use Use) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.last == nil {
		u.last = map[ID]Use{}
	}
	u.last[id] = use
}

// take returns and clears the collected uses.
func (u *uses[ID, Use]) take() map[ID]Use {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.last
	u.last = nil
	return taken
}

// flush passes the collected uses to write. If that fails, it keeps them for the next time,
// unless there are later ones.
func (u *uses[ID, Use]) flush(write func([]Use) error) error {
	taken := u.take()
	if len(taken) == 0 {
		return nil
	}
	err := write(slices.Collect(maps.Values(taken)))
	if err != nil {
		u.mu.Lock()
		defer u.mu.Unlock()
		maps.Copy(taken, u.last)
		u.last = taken
	}
	return err
}

// Flush writes the uses of keys and sessions collected since the last Flush, in one statement
// each.
func (a *Access) Flush(ctx context.Context) error {
	return errors.Join(
		a.keyUses.flush(func(list []people.KeyUse) error { return people.TouchKeys(ctx, a.store, list) }),
		a.sessionUses.flush(func(list []people.SessionUse) error { return people.TouchSessions(ctx, a.store, list) }),
	)
}
