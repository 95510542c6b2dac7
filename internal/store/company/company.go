package company

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// ErrDomainTaken refuses a domain that is the address of another shop.
var ErrDomainTaken = shop.Refuse(shop.AlreadyExists, "DOMAIN_TAKEN").When("another shop has this domain")

// Limits are a shop's plan limits by limit_code. A missing entry means no limit.
type Limits map[string]int64

// Company is the row of a shop.
type Company struct {
	ID                 shop.CompanyID
	Slug               string
	Name               string
	Currency           string
	PriceDigits        int    // digits of its money after the decimal point
	Language           string // of its pages; empty: that of the currency
	Timezone           string // IANA time zone; empty: UTC
	Comments           bool   // products accept reviews unless they override it
	Questions          bool   // likewise for questions
	Closed             bool
	BuyerCancelMinutes int  // for which buyers may cancel a new order; 0: they cannot
	Blocked            bool // by the operator: the shop accepts no orders
	PINHash            string
	MissFallback       bool
	MissFallbackAt     time.Time // when it was set
	Limits             Limits
	Domain             string // the active custom domain, empty without one
	PendingDomain      string // a domain that waits for verification
	Version            int64  // as stored; of Info: see store.Reader.Version
	RulesVersion       int64
	CreatedAt          time.Time
	DeletedAt          *time.Time // by the owner, who can restore it for some days; nil: it is not deleted
	HasPolicies        bool       // the shop has access policies
}

const companyColumns = `c.id, c.slug, c.name, c.currency, c.price_digits, coalesce(c.settings->>'language', ''), coalesce(c.settings->>'timezone', ''),
	coalesce(c.settings->>'comments', 'true') = 'true', coalesce(c.settings->>'questions', 'true') = 'true',
	coalesce((c.settings->>'buyer_cancel_minutes')::integer, 0), c.closed, c.blocked, c.pin_hash, c.miss_fallback, c.miss_fallback_at, c.limits,
	coalesce((SELECT min(domain) FROM company_domain d WHERE d.company_id = c.id AND d.active_at IS NOT NULL), ''),
	coalesce((SELECT min(domain) FROM company_domain d WHERE d.company_id = c.id AND d.active_at IS NULL), ''), c.version, c.rules_version, c.created_at, c.deleted_at,
	EXISTS (SELECT FROM access_policy p WHERE p.company_id = c.id)`

func scanCompany(row pgx.Row) (Company, error) {
	var c Company
	var limits []byte
	err := row.Scan(&c.ID, &c.Slug, &c.Name, &c.Currency, &c.PriceDigits, &c.Language, &c.Timezone, &c.Comments, &c.Questions,
		&c.BuyerCancelMinutes, &c.Closed, &c.Blocked, &c.PINHash, &c.MissFallback, &c.MissFallbackAt, &limits,
		&c.Domain, &c.PendingDomain, &c.Version, &c.RulesVersion, &c.CreatedAt, &c.DeletedAt, &c.HasPolicies)
	if store.NoRow(err) {
		return c, store.ErrShopNotFound
	}
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(limits, &c.Limits)
}

// CreateCompany adds a shop with its owner and runs seed in the same transaction; seed may
// be nil. The shop becomes the main one if the owner owns no other. The changes of seed make
// edges forget that no shop has the host.
func CreateCompany(
	ctx context.Context, s *store.Store, slug, name, currency string, owner shop.UserID, seed func(*store.Tx) error,
) (id shop.CompanyID, err error) {
	err = s.Write(ctx, 0, func(tx *store.Tx) error {
		err := tx.DB.QueryRow(ctx, `INSERT INTO company (slug, name, currency) VALUES ($1, $2, $3) RETURNING id`, slug, name, currency).Scan(&id)
		if err != nil {
			return err
		}
		tx.Company = id
		if err = addOwner(ctx, tx, owner); err != nil || seed == nil {
			return err
		}
		return seed(tx)
	})
	return id, slugTaken(err, slug)
}

// addOwner makes a person the owner of a new shop.
func addOwner(ctx context.Context, tx *store.Tx, owner shop.UserID) error {
	if _, err := tx.DB.Exec(ctx, `INSERT INTO member (company_id, person_id, role) VALUES ($1, $2, 'owner')`, tx.Company, owner); err != nil {
		return err
	}
	_, err := tx.DB.Exec(ctx, `UPDATE person SET main_company_id = $1 WHERE id = $2 AND NOT EXISTS (
		SELECT FROM member m JOIN company c ON c.id = m.company_id AND c.deleted_at IS NULL
		WHERE m.person_id = person.id AND m.company_id = main_company_id AND m.role = 'owner')`, tx.Company, owner)
	return err
}

// slugTaken explains the violation of the rule that slugs of shops are unique.
func slugTaken(err error, slug string) error {
	if store.UniqueViolation(err, "company_slug_key") {
		return shop.ErrSlugTaken.At("slug").With("another shop has the slug " + slug)
	}
	return err
}

// Functions below that find a shop by its address don't find one that is deleted or arriving, and Info
// does not find a deleted one.

// CompanyBySlug finds a shop by the slug of its address.
func CompanyBySlug(ctx context.Context, s *store.Store, slug string) (Company, error) {
	return scanCompany(s.Pool.QueryRow(ctx, `SELECT `+companyColumns+` FROM company c WHERE c.slug = $1 AND c.deleted_at IS NULL AND c.import_job IS NULL`, slug))
}

// CompanyByDomain finds a shop by its active custom domain.
func CompanyByDomain(ctx context.Context, s *store.Store, domain string) (Company, error) {
	return scanCompany(s.Pool.QueryRow(ctx, `
		SELECT `+companyColumns+` FROM company c JOIN company_domain h ON h.company_id = c.id WHERE h.domain = $1 AND h.active_at IS NOT NULL AND c.deleted_at IS NULL`, domain))
}

// CompanyByHost finds a shop by a host: the one of its slug, or its active custom domain.
func CompanyByHost(ctx context.Context, s *store.Store, hosts shop.Storefronts, host string) (Company, error) {
	if slug, ok := hosts.Slug(host); ok {
		return CompanyBySlug(ctx, s, slug)
	}
	return CompanyByDomain(ctx, s, host)
}

// Info returns the shop's own row.
func Info(ctx context.Context, r store.Reader) (Company, error) {
	c, err := scanCompany(r.DB.QueryRow(ctx, `SELECT `+companyColumns+` FROM company c WHERE c.id = $1 AND c.deleted_at IS NULL`, r.Company))
	c.Version = r.Version(c.Version)
	return c, err
}

// Gate reports what may keep visitors from a shop.
type Gate struct {
	Closed     bool // the whole shop is closed by a PIN
	Restricted bool // the shop has access policies or rows dated in the future
}

// GetGate reads the gate of the shop; it returns ErrShopNotFound when there is no shop.
func GetGate(ctx context.Context, r store.Reader) (g Gate, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT closed, EXISTS (SELECT FROM access_policy p WHERE p.company_id = $1)
			OR EXISTS (`+scheduledProducts+`) OR EXISTS (`+scheduledArticles+`)
			OR EXISTS (SELECT FROM category c WHERE c.company_id = $1 AND NOT c.is_published AND c.deleted_at IS NULL) FROM company WHERE id = $1 AND deleted_at IS NULL AND import_job IS NULL`, r.Company).
		Scan(&g.Closed, &g.Restricted)
	if store.NoRow(err) {
		err = store.ErrShopNotFound
	}
	return g, err
}

// SetLimits changes some plan limits; zero removes one. The row is locked, so that
// concurrent changes are both kept.
func SetLimits(ctx context.Context, tx *store.Tx, change Limits) (Limits, error) {
	var raw []byte
	if err := tx.DB.QueryRow(ctx, `SELECT limits FROM company WHERE id = $1 FOR UPDATE`, tx.Company).Scan(&raw); err != nil {
		return nil, err
	}
	limits := Limits{}
	if err := json.Unmarshal(raw, &limits); err != nil {
		return nil, err
	}
	maps.Copy(limits, change)
	maps.DeleteFunc(limits, func(_ string, n int64) bool { return n == 0 })
	_, err := tx.DB.Exec(ctx, `UPDATE company SET limits = $2 WHERE id = $1`, tx.Company, limits)
	return limits, err
}

// SetClosed closes the shop with a PIN or opens it.
func SetClosed(ctx context.Context, tx *store.Tx, closed bool, pinHash string) error {
	tx.Changed(shop.Key{Kind: shop.KeyShop})
	_, err := tx.DB.Exec(ctx, `UPDATE company SET closed = $2, pin_hash = $3 WHERE id = $1`, tx.Company, closed, pinHash)
	return err
}

// SetBlocked stops the shop from accepting orders, or lets it accept them again. Its pages
// stay as they are; what it offers to assistants ends.
func SetBlocked(ctx context.Context, tx *store.Tx, blocked bool) error {
	tx.Changed(shop.Key{Kind: shop.KeyShop})
	_, err := tx.DB.Exec(ctx, `UPDATE company SET blocked = $2 WHERE id = $1`, tx.Company, blocked)
	return err
}

// SetCurrency changes the currency of the shop's prices, not their numbers. Orders keep the
// currency in which they were made. Customers' totals are recomputed in the new currency.
//
// Orders lock their customer before their shop, so this does too: it waits for orders in
// progress, and later orders are added up in the new currency.
func SetCurrency(ctx context.Context, tx *store.Tx, currency string) error {
	tx.Changed(shop.Key{Kind: shop.KeyShop})
	b := &pgx.Batch{}
	b.Queue(`SELECT count(*) FROM (SELECT FROM customer WHERE company_id = $1 ORDER BY id FOR NO KEY UPDATE) c`, tx.Company)
	b.Queue(`SELECT FROM company WHERE id = $1 FOR UPDATE`, tx.Company)
	b.Queue(`UPDATE company SET currency = $2 WHERE id = $1`, tx.Company, currency)
	b.Queue(`
		UPDATE customer c SET spent = coalesce((
			SELECT sum(o.grand_total) FROM shop_order o
			WHERE o.company_id = $1 AND o.customer_id = c.id AND o.currency = $2 AND o.status <> 'cancelled' AND NOT o.refunded), 0)
		WHERE c.company_id = $1`, tx.Company, currency)
	return tx.DB.SendBatch(ctx, b).Close()
}

// SetPriceDigits sets, once and when a shop is created, how many digits of its money follow
// the decimal point.
func SetPriceDigits(ctx context.Context, tx *store.Tx, digits int) error {
	_, err := tx.DB.Exec(ctx, `UPDATE company SET price_digits = $2 WHERE id = $1`, tx.Company, digits)
	return err
}

// SetMissFallback switches step six of the address resolution order. It does not bump the
// version of the redirect set (document 3, 4.4).
func SetMissFallback(ctx context.Context, tx *store.Tx, on bool) (at time.Time, err error) {
	tx.Changed(shop.Key{Kind: shop.KeyShop})
	err = tx.DB.QueryRow(ctx, `
		UPDATE company SET miss_fallback = $2, miss_fallback_at = now() WHERE id = $1 RETURNING miss_fallback_at`, tx.Company, on).Scan(&at)
	return at, err
}

// Usage counts what a shop's plan limits.
type Usage struct {
	Products  int64
	Redirects int64
	Masks     int64
	SiteFiles int64
	Files     int64
	Bytes     int64
}

// GetUsage counts over the whole shop. Bytes are those of distinct blobs.
func GetUsage(ctx context.Context, r store.Reader) (u Usage, err error) {
	err = r.DB.QueryRow(ctx, `SELECT
		(SELECT count(*) FROM product WHERE company_id = $1 AND deleted_at IS NULL),
		(SELECT count(*) FROM redirect_rule WHERE company_id = $1),
		(SELECT count(*) FROM redirect_rule WHERE company_id = $1 AND kind = 'pattern'),
		(SELECT count(*) FROM site_file WHERE company_id = $1 AND deleted_at IS NULL),
		(SELECT count(*) FROM media_file WHERE company_id = $1 AND status = 'stored' AND `+media.InLibrary+`),
		(SELECT coalesce(sum(size), 0)::bigint FROM blob WHERE company_id = $1)`, r.Company).
		Scan(&u.Products, &u.Redirects, &u.Masks, &u.SiteFiles, &u.Files, &u.Bytes)
	return u, err
}
