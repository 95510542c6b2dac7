package redirect

import (
	"context"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
)

type settingsRequest struct {
	MissFallback *bool `json:"miss_fallback"`
	DryRun       bool  `json:"dry_run" doc:"write nothing: answer what would come of it, with replay"`
}

type settings struct {
	MissFallback bool `json:"miss_fallback"`
}

type settingsAnswer struct {
	Result settings `json:"result"`
	Replay *replay  `json:"replay,omitempty" doc:"of a dry run: what visitors would see"`
}

// setFallback is no mutation of the set: its version stays. But the fallback
// sends visitors on, so switching it on may close a circle (document 3, 4.5).
func (rs *Redirects) setFallback(ctx context.Context, c *api.Call, in settingsRequest) (out settingsAnswer, err error) {
	if in.MissFallback == nil {
		return out, shop.ErrInvalidRequest.At("miss_fallback").With("true or false")
	}
	out.Result.MissFallback = *in.MissFallback
	edit := func(set *ruleSet) error {
		now := set.before.Shop()
		now.MissFallback = *in.MissFallback
		set.shop = &now
		return set.check()
	}
	if in.DryRun {
		tried, err := rs.tryRules(ctx, c.Company, edit)
		out.Replay = tried.replay
		return out, err
	}
	return out, rs.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if _, err := tx.LockRules(ctx); err != nil {
			return err
		}
		held, err := rs.sites.Current(ctx, tx.Reader)
		if err != nil {
			return err
		}
		if err := edit(newSet(held)); err != nil {
			return err
		}
		return company.SetMissFallback(ctx, tx, *in.MissFallback)
	})
}
