package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

const (
	// statisticsEvery is how often workers look for tables that have grown.
	statisticsEvery = 3 * time.Second
	// grownPages is by how many pages a table must have grown.
	grownPages = 16
)

// KeepStatistics analyses tables soon after they have grown, until ctx ends. The server does so once a
// minute by itself. Until then it plans for few rows, and statements that were prepared meanwhile keep
// their plans: the first large import of an installation would read all products for each new one.
func (s *Store) KeepStatistics(ctx context.Context, failed func(error)) {
	tick := time.NewTicker(statisticsEvery)
	defer tick.Stop()
	failing := false
	for {
		_, err := s.AnalyzeGrown(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			failed(err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// AnalyzeGrown analyses the tables that have more than twice the size of their statistics, and returns
// their names. Those that another process analyses, or that are not the role's, are left out.
func (s *Store) AnalyzeGrown(ctx context.Context) (tables []string, err error) {
	rows, err := s.Pool.Query(ctx, `
		SELECT c.oid::regclass::text FROM pg_class c
		WHERE c.relnamespace IN ('public'::regnamespace, 'draft'::regnamespace) AND c.relkind = 'r' AND pg_has_role(c.relowner, 'USAGE')
		AND pg_relation_size(c.oid) / current_setting('block_size')::integer > 2 * greatest(c.relpages, 0) + $1
		ORDER BY 1`, grownPages)
	if err != nil {
		return nil, err
	}
	if tables, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return nil, err
	}
	for _, table := range tables {
		if _, err := s.Pool.Exec(ctx, `ANALYZE (SKIP_LOCKED) `+table); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// ExpectProducts analyses the products if the planner expects far fewer of a shop than it is known to
// have: one that was filled since may not be in the statistics at all, however many products others have.
func (s *Store) ExpectProducts(ctx context.Context, company shop.CompanyID, known int) error {
	var text []byte
	err := s.Pool.QueryRow(ctx, `EXPLAIN (FORMAT JSON) SELECT FROM public.product WHERE company_id = $1 AND deleted_at IS NULL`, company).Scan(&text)
	if err != nil {
		return err
	}
	var plans []struct {
		Plan struct {
			Rows float64 `json:"Plan Rows"`
		}
	}
	if err := json.Unmarshal(text, &plans); err != nil {
		return err
	}
	if len(plans) > 0 && plans[0].Plan.Rows < float64(known)/10 {
		_, err = s.Pool.Exec(ctx, `ANALYZE (SKIP_LOCKED) public.product`)
	}
	return err
}
