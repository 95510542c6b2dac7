package access

import (
	"context"
	"slices"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
	"vitrine/internal/store/privacy"
)

// memberList is the members of a shop and its pending invitations.
type memberList struct {
	Result      []people.Member     `json:"result"`
	Invitations []people.Invitation `json:"invitations"`
}

func (a *Access) members(ctx context.Context, c *api.Call, _ api.None) (out memberList, err error) {
	reader := a.store.Shop(c.Company)
	if out.Result, err = people.Members(ctx, reader); err != nil {
		return out, err
	}
	out.Invitations, err = people.Invitations(ctx, reader, a.now())
	return out, err
}

// memberAnswer is a member after a change of their role.
type memberAnswer struct{ people.Member }

func (a *Access) member(ctx context.Context, c *api.Call, in memberPath) (api.Result[people.Member], error) {
	m, err := people.GetMember(ctx, a.store.Shop(c.Company), in.Person)
	return api.Wrap(m), err
}

type assignRequest struct {
	Person shop.UserID `path:"user_id" json:"-"`
	api.Basis
	Role shop.Role `json:"role" required:"always"`
}

func (a *Access) assign(ctx context.Context, c *api.Call, in assignRequest) (out api.Result[memberAnswer], err error) {
	err = a.changeMembers(ctx, c, func(ctx context.Context, tx *store.Tx, own shop.Role) error {
		was, err := people.GetMember(ctx, tx.Reader, in.Person)
		if err != nil {
			return err
		}
		if err := tx.CheckBasis(was.UpdatedAt); err != nil {
			return err
		}
		if err := a.setRole(ctx, tx, own, in.Person, in.Role, secret.Hash(c.Token())); err != nil {
			return err
		}
		out.Result.Member, err = people.GetMember(ctx, tx.Reader, in.Person)
		return err
	})
	return out, err
}

type memberPath struct {
	Person shop.UserID `path:"user_id" json:"-"`
}

// expel removes a member. Members of any role may leave the shop themselves.
func (a *Access) expel(ctx context.Context, c *api.Call, in memberPath) (none api.None, err error) {
	if !c.Role.Known() { // a session of the shop's host, too
		return none, api.ErrRole.With("you are not a member of this shop")
	}
	return none, a.withMembers(ctx, c, func(ctx context.Context, tx *store.Tx, own shop.Role) error {
		if in.Person != c.Person && !own.CanManage() {
			return errManagers
		}
		return a.remove(ctx, tx, own, in.Person)
	})
}

var errManagers = api.ErrRole.With("members are managed by owners and admins")

// changeMembers is withMembers for owners and admins.
func (a *Access) changeMembers(
	ctx context.Context, c *api.Call, change func(ctx context.Context, tx *store.Tx, own shop.Role) error,
) error {
	return a.withMembers(ctx, c, func(ctx context.Context, tx *store.Tx, own shop.Role) error {
		if !own.CanManage() {
			return errManagers
		}
		return change(ctx, tx, own)
	})
}

// withMembers runs a change of a shop's members under a lock, with the caller's role at that
// moment: two concurrent calls cannot take away each other's right and both succeed.
func (a *Access) withMembers(
	ctx context.Context, c *api.Call, change func(ctx context.Context, tx *store.Tx, own shop.Role) error,
) error {
	return a.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if err := tx.LockMembers(ctx); err != nil {
			return err
		}
		own, err := people.RoleOf(ctx, tx.Reader, c.Person)
		if err != nil {
			return err
		}
		return change(ctx, tx, own)
	})
}

var errAbove = ErrRoleAbove.At("role").With("you cannot grant or change a role above your own")

// setRole changes a member's role on behalf of a caller with the role by. Lowering it ends their
// sessions except the caller's own, whose token has the hash keep.
func (a *Access) setRole(ctx context.Context, tx *store.Tx, by shop.Role, person shop.UserID, role shop.Role, keep []byte) error {
	if !role.Known() {
		return ErrRoleUnknown.At("role").With("owner, admin or editor")
	}
	was, err := a.within(ctx, tx, by, person)
	if err != nil {
		return err
	}
	if role.Above(by) {
		return errAbove
	}
	if was.Above(role) {
		if err := a.lower(ctx, tx, person, was); err != nil {
			return err
		}
		if err := people.EndMemberSessions(ctx, tx, person, keep); err != nil {
			return err
		}
	}
	return people.SetRole(ctx, tx, person, role)
}

// lower checks that an owner remains, and revokes the keys that the lower role could not have
// issued (document 1, section 5).
func (a *Access) lower(ctx context.Context, tx *store.Tx, person shop.UserID, was shop.Role) error {
	if err := ownerRemains(ctx, tx, was); err != nil {
		return err
	}
	return people.RevokeKeys(ctx, tx, person, a.now(), sensitive()...)
}

// remove removes a member from the shop on behalf of a caller with the role by. It revokes the
// person's keys for good: they stay revoked if the person joins again.
func (a *Access) remove(ctx context.Context, tx *store.Tx, by shop.Role, person shop.UserID) error {
	was, err := a.within(ctx, tx, by, person)
	if err != nil {
		return err
	}
	if err := ownerRemains(ctx, tx, was); err != nil {
		return err
	}
	if err := people.RevokeKeys(ctx, tx, person, a.now()); err != nil {
		return err
	}
	return people.RemoveMember(ctx, tx, person)
}

// within returns a member's role and refuses roles above the caller's role by.
func (a *Access) within(ctx context.Context, tx *store.Tx, by shop.Role, person shop.UserID) (shop.Role, error) {
	was, err := people.RoleOf(ctx, tx.Reader, person)
	switch {
	case err != nil:
		return "", err
	case was == "":
		return "", people.ErrMemberNotFound
	case was.Above(by):
		return "", errAbove
	}
	return was, nil
}

// ownerRemains refuses to remove the role of the last owner.
func ownerRemains(ctx context.Context, tx *store.Tx, was shop.Role) error {
	if was != shop.Owner {
		return nil
	}
	n, err := people.Owners(ctx, tx.Reader)
	if err == nil && n < 2 {
		err = privacy.ErrLastOwner.With("make another member an owner first")
	}
	return err
}

func sensitive() []shop.Scope {
	all, _ := shop.ParseScopes("all")
	return slices.DeleteFunc(all, func(s shop.Scope) bool { return !s.Sensitive() })
}
