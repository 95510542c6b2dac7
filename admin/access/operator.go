package access

import (
	"context"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// These methods are the member commands of the command line. The operator may change every
// role, but a shop must keep an owner.

// AddMember gives a person a role in a shop and creates the person if necessary.
func (a *Access) AddMember(ctx context.Context, company shop.CompanyID, email, password string, role shop.Role) (shop.UserID, error) {
	if role != shop.Admin && role != shop.Editor {
		return 0, ErrRoleUnknown.With("admin or editor")
	}
	person, err := a.EnsurePerson(ctx, email, password)
	if err != nil {
		return 0, err
	}
	return person, a.operate(ctx, company, func(tx *store.Tx) error { return people.AddMember(ctx, tx, person, role) })
}

// SetRole changes the role of the member with an email.
func (a *Access) SetRole(ctx context.Context, company shop.CompanyID, email string, role shop.Role) (shop.UserID, error) {
	return a.changeMember(ctx, company, email, func(tx *store.Tx, person shop.UserID) error {
		return a.setRole(ctx, tx, shop.Owner, person, role, nil)
	})
}

// RemoveMember removes the member with an email from a shop.
func (a *Access) RemoveMember(ctx context.Context, company shop.CompanyID, email string) (shop.UserID, error) {
	return a.changeMember(ctx, company, email, func(tx *store.Tx, person shop.UserID) error {
		return a.remove(ctx, tx, shop.Owner, person)
	})
}

func (a *Access) changeMember(
	ctx context.Context, company shop.CompanyID, email string, change func(*store.Tx, shop.UserID) error,
) (shop.UserID, error) {
	person, _, err := people.PersonByEmail(ctx, a.store, email)
	if err != nil {
		return 0, err
	}
	// An unknown person has id 0, which is not a member.
	return person.ID, a.operate(ctx, company, func(tx *store.Tx) error { return change(tx, person.ID) })
}

func (a *Access) operate(ctx context.Context, company shop.CompanyID, change func(*store.Tx) error) error {
	return a.store.Write(ctx, company, func(tx *store.Tx) error {
		if err := tx.LockMembers(ctx); err != nil {
			return err
		}
		return change(tx)
	})
}

// EnsurePerson creates a person, or returns the existing one if the password is theirs.
func (a *Access) EnsurePerson(ctx context.Context, email, password string) (shop.UserID, error) {
	email, err := checkEmail(email)
	if err != nil {
		return 0, err
	}
	if err := checkPassword("password", password); err != nil {
		return 0, err
	}
	known, found, err := people.PersonByEmail(ctx, a.store, email)
	if err != nil {
		return 0, err
	}
	if found {
		if ok, err := a.check(ctx, known.PasswordHash, password); err != nil || !ok {
			return 0, ErrCredentials.With("this email has an account with another password")
		}
		return known.ID, nil
	}
	hash, err := a.Hash(ctx, password)
	if err != nil {
		return 0, err
	}
	return people.CreatePerson(ctx, a.store, email, "", hash)
}
