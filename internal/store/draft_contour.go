package store

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"vitrine/internal/shop"
)

// The contour of a call travels in its context, like its deadline. It is set once where the
// caller is known and reaches every Shop, Snapshot and Write below, so that handlers need
// not pass it on and cannot forget it. A handler that must work on the live shop uses Live.
//
// In the draft contour the same SQL runs on connections of a second pool, whose
// search_path puts the views of schema dev before the tables they overlay
// (migration 0007). The live pool never sees those.

type draftKey struct{}

// InDraft returns a context in which one shop is read and written in its draft. Other shops
// are live in it: a draft is shown only to the shop's own staff.
func InDraft(ctx context.Context, company shop.CompanyID) context.Context {
	return context.WithValue(ctx, draftKey{}, company)
}

// Live returns a context in which every shop is live.
func Live(ctx context.Context) context.Context { return InDraft(ctx, 0) }

// InDraftOf reports whether a context selects a shop's draft.
func InDraftOf(ctx context.Context, company shop.CompanyID) bool {
	id, ok := ctx.Value(draftKey{}).(shop.CompanyID)
	return ok && id != 0 && id == company
}

// PoolOf returns the pool for a shop in a context.
func (s *Store) PoolOf(ctx context.Context, company shop.CompanyID) *pgxpool.Pool {
	if InDraftOf(ctx, company) {
		return s.draft
	}
	return s.Pool
}

// draftConns is how many connections work in drafts at once. They are opened on demand: few
// people edit, and visitors never use them.
const draftConns = 6

func openDraft(ctx context.Context, cfg *pgxpool.Config) (*pgxpool.Pool, error) {
	cfg = cfg.Copy()
	cfg.MaxConns = min(cfg.MaxConns, draftConns)
	cfg.MinConns, cfg.MinIdleConns = 0, 0
	cfg.ConnConfig.RuntimeParams["search_path"] = draftPath
	// A cached plan, made while the draft was empty, may scan the whole draft for each row
	// once an import has filled it. So each statement is planned for the draft as it is.
	// The triggers of the draft keep their cached plans.
	cfg.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_custom_plan"
	return pgxpool.NewWithConfig(ctx, cfg)
}

// Draft reports whether the transaction writes the draft. Visitors see nothing of it, so it
// writes no journal, no event and no new version.
func (tx *Tx) Draft() bool { return tx.draft }

// WriteLive runs write on the live shop within a draft's transaction, for values that
// have no draft and exist only there. Tables are named public.
func (tx *Tx) WriteLive(ctx context.Context, write func() error) error {
	if !tx.draft {
		return write()
	}
	if err := tx.setSearchPath(ctx, "public"); err != nil {
		return err
	}
	if err := write(); err != nil {
		return err
	}
	return tx.setSearchPath(ctx, draftPath)
}

// draftPath is the search_path of the draft contour.
const draftPath = "dev, public"

func (tx *Tx) setSearchPath(ctx context.Context, path string) error {
	_, err := tx.DB.Exec(ctx, `SELECT set_config('search_path', $1, true)`, path)
	return err
}

// bumpDraft raises the version of the draft. Its writers are serialised (LockDraft), so
// updating the row blocks nobody.
func (tx *Tx) bumpDraft(ctx context.Context) error {
	_, err := tx.DB.Exec(ctx, `
		INSERT INTO draft_version (company_id, version) VALUES ($1, 1)
		ON CONFLICT (company_id) DO UPDATE SET version = draft_version.version + 1`, tx.Company)
	return err
}
