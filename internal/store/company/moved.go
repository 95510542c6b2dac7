package company

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Moved says where a shop has gone: it has moved to another installation.
type Moved struct {
	ID       shop.CompanyID // there
	Origin   string         // of its storefront
	AdminURL string
}

const moved = `SELECT m.peer_id, m.origin, m.admin_url FROM shop_move m`

func scanMoved(ctx context.Context, s *store.Store, sql string, arg any) (m Moved, gone bool, err error) {
	err = s.Pool.QueryRow(ctx, sql, arg).Scan(&m.ID, &m.Origin, &m.AdminURL)
	if store.NoRow(err) {
		return m, false, nil
	}
	return m, err == nil, err
}

// HasMoved returns where a shop has gone, if it has.
func HasMoved(ctx context.Context, s *store.Store, id shop.CompanyID) (m Moved, gone bool, err error) {
	return scanMoved(ctx, s, moved+` WHERE m.gone AND m.company_id = $1`, id)
}

// HostMoved is HasMoved for the shop that had a host.
func HostMoved(ctx context.Context, s *store.Store, hosts shop.Storefronts, host string) (m Moved, gone bool, err error) {
	if slug, ok := hosts.Slug(host); ok {
		return scanMoved(ctx, s, moved+` JOIN company c ON c.id = m.company_id WHERE m.gone AND c.slug = $1`, slug)
	}
	return scanMoved(ctx, s, moved+` JOIN company_domain d ON d.company_id = m.company_id AND d.active_at IS NOT NULL WHERE m.gone AND d.domain = $1`, host)
}

// LinkKey checks links that an earlier installation of a shop has signed.
type LinkKey struct {
	Was    shop.CompanyID // the shop there
	Sealed []byte
}

// LinkKeys returns those of a shop.
func LinkKeys(ctx context.Context, s *store.Store, id shop.CompanyID) ([]LinkKey, error) {
	rows, err := s.Pool.Query(ctx, `SELECT was, sealed FROM shop_link_key WHERE company_id = $1`, id)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[LinkKey])
}
