package source

import (
	"context"
	"errors"

	"vitrine/edge"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// EnterPolicy implements edge.Source. One slow hash is computed, however many
// passwords the policy has.
func (s *Source) EnterPolicy(ctx context.Context, id shop.CompanyID, policy shop.PolicyID, password string) (grant shop.GrantID, err error) {
	salt, err := s.store.Shop(id).PolicySalt(ctx, policy)
	if errors.Is(err, store.ErrPolicyNotFound) {
		return 0, nil // deleted since the page was shown
	}
	if err != nil {
		return 0, err
	}
	hash, err := s.stretch(ctx, password, salt)
	if err != nil {
		return 0, err
	}
	err = s.store.Write(ctx, id, func(tx *store.Tx) error {
		grant, err = tx.Enter(ctx, policy, hash, s.now())
		return err
	})
	return grant, err
}

// stretch hashes a password when its turn has come.
func (s *Source) stretch(ctx context.Context, password string, salt []byte) ([]byte, error) {
	if err := s.checking.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer s.checking.Release(1)
	return secret.Stretch(password, salt), nil
}

// Customer implements edge.Source.
func (s *Source) Customer(ctx context.Context, id shop.CompanyID, session string) (c edge.Customer, err error) {
	if !secret.WellFormed(session, secret.Session) {
		return c, nil
	}
	person, bound, err := s.store.SessionPerson(ctx, secret.Hash(session), s.now())
	if err != nil || person == 0 || bound != 0 && bound != id {
		return c, err
	}
	if c.Known, c.Groups, err = s.store.Shop(id).CustomerGroupsOf(ctx, person); err != nil {
		return c, err
	}
	p, err := s.store.Person(ctx, person)
	c.SignedIn = err == nil && !p.Guest()
	return c, err
}
