package company

import (
	"context"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/media"
)

type usageLine struct {
	Used  shop.Int64 `json:"used"`
	Limit shop.Int64 `json:"limit"` // 0: unlimited

	// Pending is the size of uploads in progress or not yet confirmed, in bytes; only for
	// storage. It counts towards the limit like used bytes.
	Pending *shop.Int64 `json:"pending,omitempty"`
}

func (s *Shops) usage(ctx context.Context, c *api.Call, _ api.None) (api.Result[map[string]usageLine], error) {
	reader := s.Store.Shop(c.Company)
	company, err := companydb.Info(ctx, reader)
	if err != nil {
		return api.Result[map[string]usageLine]{}, err
	}
	used, err := companydb.GetUsage(ctx, reader)
	if err != nil {
		return api.Result[map[string]usageLine]{}, err
	}
	pending, err := media.Pending(ctx, reader)
	if err != nil {
		return api.Result[map[string]usageLine]{}, err
	}
	waiting := shop.Int64(pending)
	storage := usageLine{Used: shop.Int64(used.Bytes), Limit: shop.Int64(company.Limits[store.LimitStorage]), Pending: &waiting}
	line := func(code string, n int64) usageLine {
		return usageLine{Used: shop.Int64(n), Limit: shop.Int64(company.Limits[code])}
	}
	return api.Wrap(map[string]usageLine{
		store.LimitProducts:  line(store.LimitProducts, used.Products),
		store.LimitRedirects: line(store.LimitRedirects, used.Redirects),
		store.LimitMasks:     line(store.LimitMasks, used.Masks),
		store.LimitSiteFiles: line(store.LimitSiteFiles, used.SiteFiles),
		store.LimitStorage:   storage,
	}), nil
}
