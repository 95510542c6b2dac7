package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
)

type shopListCmd struct{}

// shopEntry is a shop in the operator's list.
type shopEntry struct {
	Company   shop.CompanyID `json:"company_id"`
	Slug      string         `json:"slug"`
	Name      string         `json:"name"`
	Currency  string         `json:"currency"`
	URL       string         `json:"storefront_url"`
	Domain    string         `json:"domain,omitempty"`
	Awaited   string         `json:"domain_awaited,omitempty"` // requested, but not proven yet
	Closed    bool           `json:"closed"`
	Blocked   bool           `json:"blocked"`
	CreatedAt time.Time      `json:"created_at"`
	DeletedAt *time.Time     `json:"deleted_at,omitempty"` // by its owner, who can restore it for 30 days
}

// Run prints the shops.
func (*shopListCmd) Run(ctx context.Context, s *Settings) error {
	return operate(ctx, s, func(o *operator) (any, error) {
		companies, err := companydb.Companies(ctx, o.db.Store)
		shops := make([]shopEntry, 0, len(companies))
		for _, c := range companies {
			shops = append(shops, shopEntry{
				c.ID, c.Slug, c.Name, c.Currency, o.hosts.Origin(c.Slug, c.Domain), c.Domain, c.PendingDomain, c.Closed, c.Blocked, c.CreatedAt, c.DeletedAt,
			})
		}
		return map[string]any{"shops": shops}, err
	})
}

// fileText is the output of a verb that prints a file for another program.
type fileText string

type shopHostsCmd struct {
	Pod string `required:"" help:"Name of this installation in the configuration of the front (deploy haproxy --pod)."`
}

// Run prints a line for each host: the host and the pod.
func (c *shopHostsCmd) Run(ctx context.Context, s *Settings) error {
	if !podName.MatchString(c.Pod) {
		return errPodName
	}
	return operate(ctx, s, func(o *operator) (any, error) {
		companies, err := companydb.Companies(ctx, o.db.Store)
		var text strings.Builder
		for _, shop := range companies {
			if shop.DeletedAt == nil {
				for _, host := range o.hosts.Hosts(shop.Slug, shop.Domain) {
					fmt.Fprintf(&text, "%s %s\n", host, c.Pod)
				}
			}
		}
		return fileText(text.String()), err
	})
}

type shopRenameCmd struct {
	Shop string `required:"" help:"Slug of the shop."`
	Slug string `help:"Its new slug: the first label of its host. The old address stops working."`
	Name string `help:"Its new name."`
}

// Run renames the shop.
func (c *shopRenameCmd) Run(ctx context.Context, s *Settings) error {
	if c.Slug == "" && c.Name == "" {
		return fmt.Errorf("give a new --slug, a new --name, or both")
	}
	return operate(ctx, s, func(o *operator) (any, error) {
		company, err := companydb.CompanyBySlug(ctx, o.db.Store, c.Shop)
		if err != nil {
			return nil, err
		}
		if err := o.shops.Rename(ctx, company.ID, c.Slug, c.Name); err != nil {
			return nil, err
		}
		company, err = companydb.Info(ctx, o.db.Shop(company.ID))
		answer := o.place(company)
		answer["name"] = company.Name
		return answer, err
	})
}

type shopRestoreCmd struct {
	Shop string `required:"" help:"Slug of the deleted shop."`
}

// Run restores the shop.
func (c *shopRestoreCmd) Run(ctx context.Context, s *Settings) error {
	return operate(ctx, s, func(o *operator) (any, error) {
		company, err := companydb.DeletedBySlug(ctx, o.db.Store, c.Shop)
		if err != nil {
			return nil, err
		}
		if err := o.db.Write(ctx, company.ID, func(tx *store.Tx) error { return companydb.RestoreDeleted(ctx, tx, time.Now()) }); err != nil {
			return nil, err
		}
		return o.place(company), nil
	})
}

type shopDeleteCmd struct {
	Shop string `required:"" help:"Slug of the shop."`
	Yes  string `help:"The slug again, as a confirmation: the shop cannot be restored."`
}

// Run deletes the shop with all its data.
func (c *shopDeleteCmd) Run(ctx context.Context, s *Settings) error {
	if c.Yes != c.Shop {
		return fmt.Errorf("nothing was deleted: repeat with --yes %s to delete the shop %s, its orders, files and keys permanently (shop export makes a copy)", c.Shop, c.Shop)
	}
	return operate(ctx, s, func(o *operator) (any, error) {
		company, err := companydb.CompanyBySlug(ctx, o.db.Store, c.Shop)
		if errors.Is(err, store.ErrShopNotFound) {
			company, err = companydb.DeletedBySlug(ctx, o.db.Store, c.Shop)
		}
		if err != nil {
			return nil, err
		}
		removed, err := companydb.DeleteCompany(ctx, o.db.Store, company.ID)
		rows := int64(0)
		for _, n := range removed {
			rows += n
		}
		return map[string]any{
			"company_id": company.ID, "slug": company.Slug, "deleted": err == nil, "rows": rows, "tables": removed,
			"note": "the worker will delete files that no other shop uses; people keep their accounts",
		}, err
	})
}
