package source

import (
	"context"
	"time"

	"vitrine/edge"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/draft"
	peopledb "vitrine/internal/store/people"
)

// Draft returns a source of the same shops in their drafts: the same queries in the draft
// contour. Its versions are those of the drafts.
func (s *Source) Draft() *Source {
	draft := *s
	draft.draft = true
	return &draft
}

// in returns the context in which the source reads a shop.
func (s *Source) in(ctx context.Context, id shop.CompanyID) context.Context {
	if s.draft {
		return store.InDraft(ctx, id)
	}
	return ctx
}

// draftDelta has no steps between two versions of a draft: a reader loads the whole draft
// after each write to it.
func draftDelta(ctx context.Context, r store.Reader, since int64) (d edge.Delta, err error) {
	d.Version, err = draft.Version(ctx, r)
	d.Reload = d.Version != since
	return d, err
}

// Previews returns the token check for edge.Config.Preview. Tokens are signed with the
// installation's secret "preview", and are valid as long as the person and the key that
// issued them may read the shop's draft.
func (s *Source) Previews(with []byte, now func() time.Time) func(context.Context, shop.CompanyID, string) (time.Time, error) {
	return func(ctx context.Context, id shop.CompanyID, token string) (time.Time, error) {
		p, ok := secret.ReadPreview(token, with, now())
		if !ok || p.Company != int64(id) {
			return time.Time{}, nil
		}
		ok, err := peopledb.MayReadDraft(ctx, s.store.Shop(id), shop.UserID(p.Person), shop.KeyID(p.Key), now())
		if err != nil || !ok {
			return time.Time{}, err
		}
		return p.Until, nil
	}
}
