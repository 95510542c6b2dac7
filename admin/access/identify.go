package access

import (
	"context"
	"slices"
	"sync"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
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
		return a.byKey(ctx, sent)
	case secret.WellFormed(sent.Token, secret.Session):
		return a.bySession(ctx, sent)
	}
	return api.Identity{}, api.ErrUnauthenticated.With("this is not a valid token")
}

func (a *Access) byKey(ctx context.Context, sent api.Credentials) (api.Identity, error) {
	now := a.now()
	key, found, err := people.KeyByHash(ctx, a.store, secret.Hash(sent.Token), now)
	if err != nil {
		return api.Identity{}, err
	}
	// Lowering a role revokes the keys with sensitive scopes (document 1, section 5). This
	// check applies the same rule to a role that was changed directly in the database.
	if !found || !key.Role.CanManage() && slices.ContainsFunc(key.Scopes, shop.Scope.Sensitive) {
		return api.Identity{}, api.ErrUnauthenticated.With("the key is unknown, revoked or expired")
	}
	if err := a.checkNamed(ctx, sent.Shop, key.Company); err != nil {
		return api.Identity{}, err
	}
	if key.LastUsedAt == nil || now.Sub(*key.LastUsedAt) > useKept {
		a.uses.note(people.KeyUse{Company: key.Company, Key: key.ID, At: now})
	}
	return api.Identity{
		Person: key.Person, Company: key.Company, Role: key.Role, Contour: key.Contour, Key: key.ID, Scopes: key.Scopes,
	}, nil
}

func (a *Access) bySession(ctx context.Context, sent api.Credentials) (api.Identity, error) {
	person, bound, err := people.SessionPerson(ctx, a.store, secret.Hash(sent.Token), a.now())
	if err != nil {
		return api.Identity{}, err
	}
	if person == 0 {
		return api.Identity{}, api.ErrUnauthenticated.With("the session has ended")
	}
	if bound != 0 && bound != sent.Storefront {
		return api.Identity{}, api.ErrUnauthenticated.With("this session was made on a shop's host and is valid there only")
	}
	if sent.Storefront != 0 {
		if err := a.checkNamed(ctx, sent.Shop, sent.Storefront); err != nil {
			return api.Identity{}, err
		}
	}
	who := api.Identity{Person: person, Contour: shop.Prod, Bound: bound}
	if bound != 0 {
		return who, nil
	}
	if who.Company, who.Role, err = a.actsIn(ctx, person, sent); err != nil {
		return api.Identity{}, err
	}
	if sent.Contour == string(shop.Dev) {
		who.Contour = shop.Dev
	}
	return who, nil
}

// actsIn returns the shop that a person's call is about, and their role in it: the one named in
// X-Vitrine-Shop, else their main one. Two windows with two shops name one each, so neither
// changes where the other writes.
func (a *Access) actsIn(ctx context.Context, person shop.UserID, sent api.Credentials) (shop.CompanyID, shop.Role, error) {
	if sent.Shop == "" || sent.Storefront != 0 {
		return people.MainCompany(ctx, a.store, person)
	}
	company, role, err := people.MemberOf(ctx, a.store, person, sent.Shop)
	if err == nil && company == 0 {
		err = errNotMember // the same for a shop that does not exist
	}
	return company, role, err
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
