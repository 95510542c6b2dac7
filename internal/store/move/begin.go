package move

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
)

// begin opens the connections and finds out how far the move is.
func begin(ctx context.Context, cfg Config) (m *mover, gone bool, err error) {
	if cfg.From.ID == cfg.To.ID {
		return nil, false, ErrSame
	}
	opened := &mover{Config: cfg, known: map[int64]int64{}}
	m = opened
	defer func() {
		if err != nil {
			opened.close(ctx)
		}
	}()
	if err := m.connect(ctx); err != nil {
		return nil, false, err
	}
	if m.company.from, gone, err = m.find(ctx); err != nil {
		return nil, false, err
	}
	m.report.Was, m.report.Slug = m.company.from, cfg.Slug
	for _, c := range []*pgx.Conn{m.lock, m.write} {
		if err := exclusive(ctx, c, m.From.ID, m.company.from); err != nil {
			return nil, false, err
		}
	}
	list, err := company.TenantTables(ctx, m.From.Store)
	if err != nil {
		return nil, false, err
	}
	for _, t := range list {
		if store.LeftBehind[t.Base()] == "" {
			m.tables = append(m.tables, newTable(t))
		}
	}
	if err := m.describe(ctx); err != nil {
		return nil, false, err
	}
	if !gone {
		err = m.enter(ctx)
	}
	return m, gone, err
}

func (m *mover) connect(ctx context.Context) (err error) {
	for _, c := range []struct {
		conn **pgx.Conn
		url  string
	}{{&m.lock, m.From.URL}, {&m.read, m.From.URL}, {&m.write, m.To.URL}} {
		if *c.conn, err = store.Connect(ctx, c.url); err != nil {
			return err
		}
		// Rows are compared as texts; triggers see who writes.
		if _, err = (*c.conn).Exec(ctx, `SET timezone = 'UTC'; SET vitrine.moving = 'on'; SET vitrine.restoring = 'on'; SET vitrine.writes = 'asks'`); err != nil {
			return err
		}
	}
	return m.checkProcesses(ctx)
}

// checkProcesses refuses a move between databases of different schemas, or that processes of an earlier
// release work with: those do not send visitors to the other installation, and find rows by ids that
// several shops have.
func (m *mover) checkProcesses(ctx context.Context) (err error) {
	var versions [2]int64
	for i, c := range []*pgx.Conn{m.read, m.write} {
		if versions[i], _, err = store.SchemaOf(ctx, c); err != nil {
			return err
		}
		older, err := store.OlderProcesses(ctx, c)
		if err != nil {
			return err
		}
		if older > 0 {
			return fmt.Errorf("%w: %d work with the database %s", ErrOlder, older, []string{"here", "there"}[i])
		}
	}
	if versions[0] != versions[1] {
		return fmt.Errorf("%w: %d here, %d there", ErrSchema, versions[0], versions[1])
	}
	return nil
}

func (m *mover) close(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	for _, c := range []*pgx.Conn{m.lock, m.read, m.write} {
		if c != nil {
			_ = c.Close(ctx)
		}
	}
}

// find returns the shop that moves, and whether it has gone to the other installation already.
func (m *mover) find(ctx context.Context) (id shop.CompanyID, gone bool, err error) {
	var deleted bool
	var peer *uuid.UUID
	var peerID *shop.CompanyID
	err = m.lock.QueryRow(ctx, `
		SELECT c.id, c.deleted_at IS NOT NULL OR c.import_job IS NOT NULL, m.peer, m.peer_id, coalesce(m.origin, ''),
			coalesce(m.freezes, 0), coalesce(m.frozen_ms, 0)
		FROM company c LEFT JOIN shop_move m ON m.company_id = c.id AND m.gone WHERE c.slug = $1`, m.Slug).
		Scan(&id, &deleted, &peer, &peerID, &m.report.Origin, &m.report.Freezes, &m.report.FrozenMS)
	switch {
	case store.NoRow(err):
		return 0, false, store.ErrShopNotFound.With(m.Slug)
	case err != nil:
		return 0, false, err
	case peer != nil && *peer == m.To.ID:
		m.company.to, m.report.CompanyID = *peerID, *peerID
		return id, true, nil
	case peer != nil:
		return 0, false, ErrGone
	case deleted:
		return 0, false, store.ErrShopNotFound.With(m.Slug + " is deleted or incomplete")
	}
	return id, false, nil
}

// lockWait is how long a command waits for the statements of one that was killed.
const lockWait = "30s"

// exclusive makes sure that no other process, nor a statement that one has left behind, moves the shop.
func exclusive(ctx context.Context, c *pgx.Conn, from uuid.UUID, id shop.CompanyID) error {
	_, err := c.Exec(ctx, `SELECT set_config('lock_timeout', $1, false)`, lockWait)
	if err == nil {
		_, err = c.Exec(ctx, `SELECT pg_advisory_lock(hashtextextended('mover:' || $1::text || ':' || $2::integer::text, 0))`, from, id)
	}
	if code(err) == "55P03" {
		return ErrBusy
	}
	return err
}

func code(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// describe reads what TenantTables does not say.
func (m *mover) describe(ctx context.Context) error {
	for _, t := range m.tables {
		err := m.write.QueryRow(ctx, `
			SELECT coalesce((SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
					WHERE i.indrelid = $1::regclass AND i.indisprimary), '{}'),
				coalesce((SELECT array_agg(attname::text) FROM pg_attribute WHERE attrelid = $1::regclass AND attidentity <> ''), '{}')`, t.Ident()).
			Scan(&t.primary, &t.identity)
		if err != nil {
			return err
		}
		if len(t.primary) == 0 {
			return fmt.Errorf("the table %s has no primary key", t.Name)
		}
	}
	return nil
}

// enter finds the shop that is being filled at the other installation, or creates it.
func (m *mover) enter(ctx context.Context) error {
	err := m.write.QueryRow(ctx, `SELECT company_id, freezes, frozen_ms FROM shop_move WHERE NOT gone AND peer = $1 AND peer_id = $2`, m.From.ID, m.company.from).
		Scan(&m.company.to, &m.report.Freezes, &m.report.FrozenMS)
	if store.NoRow(err) {
		err = m.create(ctx)
	}
	m.report.CompanyID = m.company.to
	return err
}

func (m *mover) create(ctx context.Context) error {
	if err := m.checkDomain(ctx); err != nil {
		return err
	}
	row, err := m.shopRow(ctx, m.lock)
	if err != nil {
		return err
	}
	columns, err := columnsOf(row)
	if err != nil {
		return err
	}
	list := company.Quoted(columns)
	err = pgx.BeginFunc(ctx, m.write, func(tx pgx.Tx) error {
		// Nothing finds a deleted shop, and the upkeep keeps one that moves.
		err := tx.QueryRow(ctx, `INSERT INTO company (`+list+`, deleted_at) SELECT `+list+`, now() FROM jsonb_populate_record(NULL::company, $1) RETURNING id`, row).Scan(&m.company.to)
		if err == nil {
			_, err = tx.Exec(ctx, `INSERT INTO shop_move (company_id, peer, peer_id, gone, freezes, frozen_ms) VALUES ($1, $2, $3, false, $4, $5)`,
				m.company.to, m.From.ID, m.company.from, m.report.Freezes, m.report.FrozenMS)
		}
		return err
	})
	if store.UniqueViolation(err, "company_slug_key") {
		return ErrSlugTaken
	}
	return err
}

// checkDomain refuses a shop whose domain another one has at the other installation.
func (m *mover) checkDomain(ctx context.Context) error {
	var domains []string
	err := m.lock.QueryRow(ctx, `SELECT coalesce(array_agg(domain), '{}') FROM company_domain WHERE company_id = $1 AND active_at IS NOT NULL`, m.company.from).Scan(&domains)
	if err != nil {
		return err
	}
	var taken bool
	err = m.write.QueryRow(ctx, `SELECT EXISTS (SELECT FROM company_domain WHERE domain = ANY($1) AND active_at IS NOT NULL AND company_id <> $2)`, domains, m.company.to).Scan(&taken)
	if err == nil && taken {
		err = ErrDomainThen
	}
	return err
}

// shopRow returns the columns of the shop's own row that move.
func (m *mover) shopRow(ctx context.Context, c querier) (row []byte, err error) {
	drop := []string{}
	for column := range unlisted {
		drop = append(drop, column[len("company."):])
	}
	err = c.QueryRow(ctx, `SELECT to_jsonb(c) - $2::text[] FROM company c WHERE id = $1`, m.company.from, drop).Scan(&row)
	return row, err
}

func columnsOf(row []byte) (columns []string, err error) {
	fields := map[string]json.RawMessage{}
	err = json.Unmarshal(row, &fields)
	for name := range fields {
		columns = append(columns, name)
	}
	return columns, err
}

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}
