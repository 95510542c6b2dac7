// Package demo creates the shops that `make run` shows: "demo", a shop for tea and things for
// the house, and "atelier", a small Russian workshop that shows that tenants are separate.
//
// Their content is hand-written JSON in content, the landing page is a website in landing,
// and the photographs are in photographs. Everything is created through the admin API, as an
// owner would do it.
//
// Seeding may be killed at any moment: each step first looks for existing entities by slug,
// sku or file name, and creates the missing ones. The editor joins a shop last. So a shop
// with an editor is complete, and is not changed from then on, whatever its owner has changed
// or deleted.
package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/admin"
	"vitrine/admin/access"
	"vitrine/admin/api"
	"vitrine/admin/company"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
)

// The people of the demo shops. They are not secret: the program prints them.
const (
	// Slug is the shop that make run shows; Password is the password of all its people.
	Slug     = "demo"
	Password = "tea-at-four"

	ownerEmail  = "owner@demo.example"
	adminEmail  = "admin@demo.example"
	editorEmail = "editor@demo.example"
	buyerEmail  = "buyer@demo.example"
)

// Result is the access data of the demo shops.
type Result struct {
	Slug       string // of the main shop
	SecondSlug string
	Email      string // of the owner of the main shop
	BuyerEmail string // of a buyer with orders
	Password   string
	Key        string // an API key of the owner with all scopes, issued for this start
}

// Seed creates the demo shops if they are missing, completes them if an earlier start was
// interrupted, and issues a key. If the shops are complete, it only issues the key.
func Seed(ctx context.Context, a *admin.Admin, s *store.Store, now time.Time) (Result, error) {
	return seeding{api: a, store: s, now: now, photograph: photographs.ReadFile}.run(ctx)
}

// seeding holds the dependencies of one run.
type seeding struct {
	api        *admin.Admin
	store      *store.Store
	now        time.Time
	photograph func(name string) ([]byte, error)
}

func (s seeding) run(ctx context.Context) (Result, error) {
	main, err := s.open(ctx, company.NewShop{Slug: Slug, Name: "Morrow & Fern", Currency: "EUR"}, ownerEmail)
	if err != nil {
		return Result{}, err
	}
	if err := main.complete(ctx, loadMain, adminEmail, editorEmail); err != nil {
		return Result{}, fmt.Errorf("shop %s: %w", main.slug, err)
	}
	second, err := s.open(ctx, company.NewShop{Slug: "atelier", Name: "Лён и глина", Currency: "RUB"}, "owner@atelier.example")
	if err != nil {
		return Result{}, err
	}
	if err := second.complete(ctx, loadAtelier, "admin@atelier.example", "editor@atelier.example"); err != nil {
		return Result{}, fmt.Errorf("shop %s: %w", second.slug, err)
	}
	key, err := main.key(ctx)
	return Result{Slug: main.slug, SecondSlug: second.slug, Email: ownerEmail, BuyerEmail: buyerEmail, Password: Password, Key: key}, err
}

// ErrDeleted reports that the owner of a demo shop deleted it, and may restore it.
var ErrDeleted = errors.New("the demo shop was deleted")

// errNotOurs prevents seeding a real shop that has the demo's slug.
var errNotOurs = errors.New("this slug belongs to a shop that is not a demo shop; start without --demo")

// open finds or creates the shop, and returns a client with its owner's identity.
func (s seeding) open(ctx context.Context, as company.NewShop, email string) (*client, error) {
	found, err := companydb.CompanyBySlug(ctx, s.store, as.Slug)
	if errors.Is(err, store.ErrShopNotFound) {
		if _, err := companydb.DeletedBySlug(ctx, s.store, as.Slug); err == nil {
			return nil, fmt.Errorf("shop %s: %w", as.Slug, ErrDeleted)
		}
		found, _, err = s.api.Shops.Create(ctx, as, func() (shop.UserID, error) { return s.api.Access.EnsurePerson(ctx, email, Password) })
	}
	if err != nil {
		return nil, fmt.Errorf("shop %s: %w", as.Slug, err)
	}
	owner, err := people.MemberWithRole(ctx, s.store.Shop(found.ID), shop.Owner)
	if err != nil {
		return nil, err
	}
	person, err := people.GetPerson(ctx, s.store, owner)
	if err != nil {
		return nil, err
	}
	if person.Email != email {
		return nil, fmt.Errorf("shop %s: %w", as.Slug, errNotOurs)
	}
	who := api.Identity{Person: owner, Company: found.ID, Role: shop.Owner, Contour: shop.Prod}
	return &client{seeding: s, slug: as.Slug, who: who}, nil
}

// complete fills the shop unless its editor, who joins last, exists.
func (d *client) complete(ctx context.Context, load func() (*content, error), admin, editor string) error {
	there, err := people.MemberWithRole(ctx, d.store.Shop(d.who.Company), shop.Editor)
	if err != nil || there != 0 {
		return err
	}
	c, err := load()
	if err != nil {
		return err
	}
	if err := d.fill(ctx, c); err != nil {
		return err
	}
	if err := d.join(ctx, admin, shop.Admin); err != nil {
		return err
	}
	return d.join(ctx, editor, shop.Editor)
}

func (d *client) fill(ctx context.Context, c *content) error {
	pictures, err := d.pictures(ctx, c.photographs())
	if err != nil {
		return fmt.Errorf("pictures: %w", err)
	}
	sections, err := d.sections(ctx, c, pictures)
	if err != nil {
		return fmt.Errorf("categories: %w", err)
	}
	if err := d.products(ctx, c, sections, pictures); err != nil {
		return fmt.Errorf("products: %w", err)
	}
	if err := d.articles(ctx, c, sections, pictures); err != nil {
		return fmt.Errorf("articles: %w", err)
	}
	if err := d.landing(ctx, c, sections); err != nil {
		return fmt.Errorf("landing page: %w", err)
	}
	if err := d.redirects(ctx, c); err != nil {
		return fmt.Errorf("redirects: %w", err)
	}
	if err := d.feeds(ctx); err != nil {
		return fmt.Errorf("feeds: %w", err)
	}
	if c.Settings != nil {
		if err := d.send(ctx, "PUT", "/v1/shop/settings", nil, c.Settings); err != nil {
			return fmt.Errorf("settings: %w", err)
		}
	}
	if len(c.Buyers) > 0 { // a shop with orders
		if err := d.promotions(ctx, sections); err != nil {
			return fmt.Errorf("promotions: %w", err)
		}
		if err := d.payments(ctx); err != nil {
			return fmt.Errorf("payments: %w", err)
		}
	}
	if err := d.sales(ctx, c); err != nil {
		return fmt.Errorf("orders: %w", err)
	}
	if err := d.reviews(ctx, c); err != nil {
		return fmt.Errorf("reviews: %w", err)
	}
	return nil
}

func (d *client) join(ctx context.Context, email string, role shop.Role) error {
	_, err := d.api.Access.AddMember(ctx, d.who.Company, email, Password, role)
	if errors.Is(err, people.ErrMemberExists) {
		return nil // joined during an earlier start
	}
	return err
}

// keptKeys is the number of keys that stay valid, including those of earlier starts, for
// scripts in other windows.
const keptKeys = 5

// key issues a key for this start and revokes old ones.
func (d *client) key(ctx context.Context) (string, error) {
	const name = "demo"
	keys, err := people.Keys(ctx, d.store.Shop(d.who.Company), d.who.Person)
	if err != nil {
		return "", err
	}
	old := 0
	for _, k := range keys { // newest first
		if k.Name != name {
			continue
		}
		if old++; old < keptKeys {
			continue
		}
		if err := d.store.Write(ctx, d.who.Company, func(tx *store.Tx) error {
			_, err := people.RevokeKey(ctx, tx, d.who.Person, k.ID, d.now)
			return err
		}); err != nil {
			return "", err
		}
	}
	all, _ := shop.ParseScopes("all")
	secret, _, err := d.api.Access.IssueKey(ctx, d.who.Company, d.who.Person, access.KeyRequest{Name: name, Contour: shop.Prod, Scopes: all})
	return secret, err
}
