package source

import (
	"context"
	"errors"

	"vitrine/compile"
	"vitrine/edge"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	peopledb "vitrine/internal/store/people"
	policydb "vitrine/internal/store/policy"
	releasedb "vitrine/internal/store/release"
)

// EnterPolicy implements edge.Source. It computes one slow hash, however many passwords the
// policy has.
func (s *Source) EnterPolicy(ctx context.Context, id shop.CompanyID, policy shop.PolicyID, password string) (grant shop.GrantID, err error) {
	salt, err := policydb.Salt(ctx, s.store.Shop(id), policy)
	if errors.Is(err, policydb.ErrNotFound) {
		return 0, nil // deleted after the page was shown
	}
	if err != nil {
		return 0, err
	}
	hash, err := s.stretch(ctx, password, salt)
	if err != nil {
		return 0, err
	}
	err = s.store.Write(ctx, id, func(tx *store.Tx) error {
		grant, err = policydb.UseGrant(ctx, tx, policy, hash, s.now())
		return err
	})
	return grant, err
}

// stretch hashes a password once the semaphore admits it.
func (s *Source) stretch(ctx context.Context, password string, salt []byte) ([]byte, error) {
	if err := s.hashing.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer s.hashing.Release(1)
	return secret.HashShared(password, salt), nil
}

// Customer implements edge.Source.
func (s *Source) Customer(ctx context.Context, id shop.CompanyID, session string) (c edge.Customer, err error) {
	if !secret.WellFormed(session, secret.Session) {
		return c, nil
	}
	person, bound, err := peopledb.SessionPerson(ctx, s.store, secret.Hash(session), s.now())
	if err != nil || person == 0 || bound != 0 && bound != id {
		return c, err
	}
	if c.Known, c.Groups, err = peopledb.CustomerGroupsOf(ctx, s.store.Shop(id), person); err != nil {
		return c, err
	}
	p, err := peopledb.GetPerson(ctx, s.store, person)
	c.SignedIn = err == nil && !p.Guest()
	c.Unproven = c.SignedIn && !p.Proven
	return c, err
}

// DocumentPages implements edge.Source.
func (s *Source) DocumentPages(ctx context.Context, id shop.CompanyID, doc shop.DocumentID) (pages []compile.PageRef, everywhere bool, err error) {
	mounts, err := releasedb.DocumentMounts(ctx, s.store.Shop(id), doc)
	for _, m := range mounts {
		switch m.Type {
		case "category", "category_children":
			pages = append(pages, compile.PageRef{Entity: compile.EntityCategory, ID: m.ID})
		case "product":
			pages = append(pages, compile.PageRef{Entity: compile.EntityProduct, ID: m.ID})
		case "article":
			pages = append(pages, compile.PageRef{Entity: compile.EntityArticle, ID: m.ID})
		default:
			everywhere = true
		}
	}
	return pages, everywhere, err
}
