package redirect

import (
	"context"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
)

type settingsRequest struct {
	api.Basis
	MissFallback *bool `json:"miss_fallback" required:"always"`
	DryRun       bool  `json:"dry_run" doc:"store nothing and return the result that the call would have, with replay"`
}

type settings struct {
	MissFallback bool      `json:"miss_fallback"`
	UpdatedAt    time.Time `json:"updated_at"`
}

// settings returns the settings of redirects.
func (rs *Redirects) settings(ctx context.Context, c *api.Call, _ api.None) (api.Result[settings], error) {
	info, err := company.Info(ctx, rs.store.Shop(c.Company))
	return api.Wrap(settings{info.MissFallback, info.MissFallbackAt.UTC()}), err
}

type settingsAnswer struct {
	Result settings `json:"result"`
	Replay *replay  `json:"replay,omitempty" doc:"for a dry run: the changes that visitors would see"`
}

// setFallback does not change the version of the set. The fallback redirects visitors, however,
// so enabling it may create a loop (document 3, 4.5).
func (rs *Redirects) setFallback(ctx context.Context, c *api.Call, in settingsRequest) (out settingsAnswer, err error) {
	if in.MissFallback == nil {
		return out, shop.ErrInvalidRequest.At("miss_fallback").With("true or false")
	}
	out.Result.MissFallback = *in.MissFallback
	edit := func(set *ruleSet) error {
		out.Result.UpdatedAt = set.cached.Company.MissFallbackAt.UTC()
		if err := c.CheckBasis(set.cached.Company.MissFallbackAt); err != nil {
			return err
		}
		now := set.before.Shop()
		now.MissFallback = *in.MissFallback
		set.shop = &now
		return set.check()
	}
	if in.DryRun {
		preview, err := rs.dryRunRules(ctx, c.Company, edit)
		out.Replay = preview.replay
		return out, err
	}
	return out, rs.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if _, err := tx.LockRules(ctx); err != nil {
			return err
		}
		cached, err := rs.sites.Current(ctx, tx.Reader)
		if err != nil {
			return err
		}
		if err := edit(newSet(cached)); err != nil {
			return err
		}
		at, err := company.SetMissFallback(ctx, tx, *in.MissFallback)
		out.Result.UpdatedAt = at.UTC()
		return err
	})
}
