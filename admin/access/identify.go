package access

import (
	"context"
	"slices"
	"sync"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

// Identify returns the identity of the caller. An unknown token is refused; without a token the
// caller is anonymous (document 1, section 5). A session created on a shop's host is valid on
// that host only: storefront is the shop whose host the call came through, or 0 on the admin
// origin.
func (a *Access) Identify(ctx context.Context, token, contour string, storefront shop.CompanyID) (api.Identity, error) {
	switch {
	case token == "":
		return api.Identity{}, nil
	case secret.WellFormed(token, secret.Key):
		return a.byKey(ctx, token)
	case secret.WellFormed(token, secret.Session):
		return a.bySession(ctx, token, contour, storefront)
	}
	return api.Identity{}, api.ErrUnauthenticated.With("this is not a valid token")
}

func (a *Access) byKey(ctx context.Context, token string) (api.Identity, error) {
	now := a.now()
	key, found, err := people.KeyByHash(ctx, a.store, secret.Hash(token), now)
	if err != nil {
		return api.Identity{}, err
	}
	// Lowering a role revokes the keys with sensitive scopes (document 1, section 5). This
	// check applies the same rule to a role that was changed directly in the database.
	if !found || !key.Role.CanManage() && slices.ContainsFunc(key.Scopes, shop.Scope.Sensitive) {
		return api.Identity{}, api.ErrUnauthenticated.With("the key is unknown, revoked or expired")
	}
	if key.LastUsedAt == nil || now.Sub(*key.LastUsedAt) > useKept {
		a.uses.note(people.KeyUse{Company: key.Company, Key: key.ID, At: now})
	}
	return api.Identity{
		Person: key.Person, Company: key.Company, Role: key.Role, Contour: key.Contour, Key: key.ID, Scopes: key.Scopes,
	}, nil
}

func (a *Access) bySession(ctx context.Context, token, contour string, storefront shop.CompanyID) (api.Identity, error) {
	person, bound, err := people.SessionPerson(ctx, a.store, secret.Hash(token), a.now())
	if err != nil {
		return api.Identity{}, err
	}
	if person == 0 {
		return api.Identity{}, api.ErrUnauthenticated.With("the session has ended")
	}
	if bound != 0 {
		if bound != storefront {
			return api.Identity{}, api.ErrUnauthenticated.With("this session was made on a shop's host and is valid there only")
		}
		return api.Identity{Person: person, Contour: shop.Prod, Bound: bound}, nil
	}
	company, role, err := people.MainCompany(ctx, a.store, person)
	if err != nil {
		return api.Identity{}, err
	}
	who := api.Identity{Person: person, Company: company, Role: role, Contour: shop.Prod}
	if contour == string(shop.Dev) {
		who.Contour = shop.Dev
	}
	return who, nil
}

// useKept is the precision of the time of a key's last use.
const useKept = time.Minute

// uses collects when keys were used, so that calls do not wait for a write. Its size is limited
// by the number of keys in use; a crash loses about a second of it.
type uses struct {
	mu   sync.Mutex
	last map[shop.KeyID]people.KeyUse
}

func (u *uses) note(use people.KeyUse) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.last[use.Key] = use
}

// take returns and clears the collected uses.
func (u *uses) take() (list []people.KeyUse) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, use := range u.last {
		list = append(list, use)
	}
	clear(u.last)
	return list
}

// Flush writes the key uses collected since the last Flush in one statement. If the write
// fails, it keeps them for the next one.
func (a *Access) Flush(ctx context.Context) error {
	list := a.uses.take()
	if len(list) == 0 {
		return nil
	}
	err := people.TouchKeys(ctx, a.store, list)
	if err != nil {
		for _, use := range list {
			a.uses.note(use)
		}
	}
	return err
}
