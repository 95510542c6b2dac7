package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"vitrine/admin/access"
	"vitrine/admin/api"
	"vitrine/admin/company"
	"vitrine/admin/domain"
	"vitrine/admin/payment"
	"vitrine/internal/blob"
	"vitrine/internal/cookie"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
)

type shopCmd struct {
	Create   shopCreateCmd   `cmd:"" help:"Create a shop and its owner."`
	List     shopListCmd     `cmd:"" help:"List the shops."`
	Hosts    shopHostsCmd    `cmd:"" help:"Print the table of the shops' hosts for a front of several installations."`
	Rename   shopRenameCmd   `cmd:"" help:"Give a shop another slug or name."`
	Delete   shopDeleteCmd   `cmd:"" help:"Delete a shop with all its data."`
	Restore  shopRestoreCmd  `cmd:"" help:"Restore a shop that its owner deleted in the last 30 days."`
	Limit    shopLimitCmd    `cmd:"" help:"Set plan limits; 0 or none removes one."`
	Close    shopCloseCmd    `cmd:"" help:"Put a shop behind a PIN."`
	Open     shopOpenCmd     `cmd:"" help:"Open a closed shop."`
	Domain   shopDomainCmd   `cmd:"" help:"Connect a custom domain, or remove it."`
	Block    shopBlockCmd    `cmd:"" help:"Stop a shop from accepting orders; its pages stay online."`
	Unblock  shopUnblockCmd  `cmd:"" help:"Let a blocked shop accept orders again."`
	Currency shopCurrencyCmd `cmd:"" help:"Change the currency of a shop; prices keep their numbers, orders their currency. Payment methods that cannot charge it are switched off."`
	Export   shopExportCmd   `cmd:"" help:"Write a shop with all its files into a zip file."`
	Import   shopImportCmd   `cmd:"" help:"Create a shop from an exported one."`
	Move     shopMoveCmd     `cmd:"" help:"Move a shop to another installation while it sells. The same command goes on with a move that was interrupted."`
}

type keyCmd struct {
	Issue  keyIssueCmd  `cmd:"" help:"Issue an API key; it is shown once."`
	List   keyListCmd   `cmd:"" help:"List a shop's live keys."`
	Revoke keyRevokeCmd `cmd:"" help:"Revoke a key immediately."`
}

// operator has the dependencies of the verbs that use the database.
type operator struct {
	db     *database
	access *access.Access
	shops  *company.Shops
	blobs  blob.Store // nil: does not answer
	hosts  shop.Storefronts
}

// operate opens the database for one verb and prints its output.
func operate(ctx context.Context, s *Settings, verb func(*operator) (any, error)) (err error) {
	if err := s.findDatabase(); err != nil {
		return err
	}
	hosts, err := s.storefronts()
	if err != nil {
		return err
	}
	log := s.quietLogger()
	db, err := openDatabase(ctx, s, log, store.LongRunning) // exports and imports read and write whole shops
	if err != nil {
		return err
	}
	defer func() {
		if cerr := db.close(); cerr != nil && err == nil {
			err = cerr
		}
	}()
	blobs, err := openBlobs(s)
	if errors.Is(err, blob.ErrUnavailable) {
		log.Warn("the bucket does not answer: it was not checked whether it belongs to this installation", "error", err)
	} else if err != nil {
		return err
	}
	if err := s.join(ctx, db.Store, blobs, false, log); err != nil {
		return err
	}
	urls := api.URLs{Admin: s.adminURL(), Storefront: func(c companydb.Company) string { return hosts.Origin(c.Slug, c.Domain) }}
	accounts := access.New(db.Store, nil, urls, log, time.Now)
	answer, err := verb(&operator{
		db: db, access: accounts, hosts: hosts, blobs: blobs,
		shops: company.New(company.Config{Store: db.Store, URLs: urls, Hosts: hosts, Now: time.Now, Hash: accounts.Hash, SetCurrency: payment.SetCurrency}),
	})
	if err != nil {
		return err
	}
	if text, plain := answer.(fileText); plain {
		_, err = os.Stdout.WriteString(string(text))
		return err
	}
	return printJSON(answer)
}

// files returns the store of files.
func (o *operator) files() (blob.Store, error) {
	if o.blobs == nil {
		return nil, blob.ErrUnavailable
	}
	return o.blobs, nil
}

type shopCreateCmd struct {
	Slug          string `required:"" help:"First label of the shop's host."`
	Name          string `required:""`
	Currency      string `required:"" help:"ISO code, such as EUR."`
	OwnerEmail    string `required:""`
	OwnerPassword string `required:""`
	PriceDigits   int    `default:"0" help:"Decimals of its prices; they cannot be changed later. 0, or 2 if the currency has hundredths: then 1450 means 14.50."`
}

// Run creates the shop.
func (c *shopCreateCmd) Run(ctx context.Context, s *Settings) error {
	return operate(ctx, s, func(o *operator) (any, error) {
		company, owner, err := o.shops.Create(
			ctx, company.NewShop{Slug: c.Slug, Name: c.Name, Currency: c.Currency, PriceDigits: c.PriceDigits},
			func() (shop.UserID, error) { return o.access.EnsurePerson(ctx, c.OwnerEmail, c.OwnerPassword) },
		)
		answer := o.place(company)
		answer["owner_id"] = owner
		return answer, err
	})
}

// place returns the addresses of a shop.
func (o *operator) place(c companydb.Company) map[string]any {
	origin := o.hosts.Origin(c.Slug, c.Domain)
	answer := map[string]any{"company_id": c.ID, "slug": c.Slug, "storefront_url": origin}
	if note := withoutCookies(origin); note != "" {
		answer["note"] = note
	}
	return answer
}

// withoutCookies is a warning about an address at which browsers store no cookies; empty if
// they do.
func withoutCookies(origin string) string {
	u, err := url.Parse(origin)
	if err != nil || cookie.For(u.Scheme == "https", u.Hostname()) != cookie.None {
		return ""
	}
	return "browsers store no cookies at " + origin + ", so carts, sign-ins and PINs do not work there: use https, or a name below localhost"
}

// change runs a write on the shop with a slug.
func (o *operator) change(ctx context.Context, slug string, write func(*store.Tx) error) (companydb.Company, error) {
	company, err := companydb.CompanyBySlug(ctx, o.db.Store, slug)
	if err != nil {
		return company, err
	}
	return company, o.db.Write(ctx, company.ID, write)
}

type shopLimitCmd struct {
	Shop   string   `required:"" help:"Slug of the shop."`
	Limits []string `arg:"" help:"redirects_max=5 site_files_max=5 products_max=100 storage_bytes=1000000 redirect_masks_max=2"`
}

// Run changes the limits.
func (c *shopLimitCmd) Run(ctx context.Context, s *Settings) error {
	change, err := parseLimits(c.Limits)
	if err != nil {
		return err
	}
	return operate(ctx, s, func(o *operator) (any, error) {
		var limits companydb.Limits
		company, err := o.change(ctx, c.Shop, func(tx *store.Tx) (err error) {
			limits, err = companydb.SetLimits(ctx, tx, change)
			return err
		})
		return map[string]any{"company_id": company.ID, "limits": limits}, err
	})
}

func parseLimits(args []string) (companydb.Limits, error) {
	change := companydb.Limits{}
	for _, arg := range args {
		code, value, _ := strings.Cut(arg, "=")
		known := false
		for _, c := range store.LimitCodes {
			known = known || c == code
		}
		if !known {
			return nil, fmt.Errorf("unknown limit %q; the limits are %s", code, strings.Join(store.LimitCodes, ", "))
		}
		if value == "none" {
			value = "0"
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%s: expected a number (0 or none removes the limit)", arg)
		}
		change[code] = n
	}
	return change, nil
}

type shopCloseCmd struct {
	Shop string `required:"" help:"Slug of the shop."`
	PIN  string `required:"" name:"pin" help:"4 to 12 digits."`
}

// Run closes the shop.
func (c *shopCloseCmd) Run(ctx context.Context, s *Settings) error {
	return operate(ctx, s, func(o *operator) (any, error) {
		return o.setClosed(ctx, c.Shop, true, func(id shop.CompanyID) error { return o.shops.Close(ctx, id, c.PIN) })
	})
}

type shopOpenCmd struct {
	Shop string `required:"" help:"Slug of the shop."`
}

// Run opens the shop.
func (c *shopOpenCmd) Run(ctx context.Context, s *Settings) error {
	return operate(ctx, s, func(o *operator) (any, error) {
		return o.setClosed(ctx, c.Shop, false, func(id shop.CompanyID) error { return o.shops.Open(ctx, id) })
	})
}

func (o *operator) setClosed(ctx context.Context, slug string, closed bool, set func(shop.CompanyID) error) (any, error) {
	company, err := companydb.CompanyBySlug(ctx, o.db.Store, slug)
	if err == nil {
		err = set(company.ID)
	}
	return map[string]any{"company_id": company.ID, "slug": slug, "closed": closed}, err
}

type shopDomainCmd struct {
	Shop   string `required:"" help:"Slug of the shop."`
	Domain string `help:"Host of the shop."`
	Remove bool   `help:"Remove the shop's domain."`
	AtOnce bool   `help:"Activate the domain immediately, without a proof in its DNS."`
}

// Run connects or removes the domain, and prints its state.
func (c *shopDomainCmd) Run(ctx context.Context, s *Settings) error {
	if (c.Domain == "") != c.Remove {
		return fmt.Errorf("use either --domain with the host of the shop, or --remove")
	}
	return operate(ctx, s, func(o *operator) (any, error) {
		company, err := companydb.CompanyBySlug(ctx, o.db.Store, c.Shop)
		if err != nil {
			return nil, err
		}
		naming, err := s.domains(ctx, o.db, o.hosts)
		if err != nil {
			return nil, err
		}
		certificates, err := s.openCertificates(o.db.Store, o.hosts, noHost, s.quietLogger())
		if err != nil {
			return nil, err
		}
		defer certificates.close() //nolint:errcheck // nothing was ordered
		domains := domain.New(certificates.of(naming))
		switch {
		case c.Remove:
			err = domains.Remove(ctx, company.ID)
		case c.AtOnce:
			err = domains.ConnectAtOnce(ctx, company.ID, c.Domain)
		default:
			err = domains.Connect(ctx, company.ID, c.Domain)
		}
		if err != nil {
			return nil, err
		}
		view, err := domains.Show(ctx, company.ID)
		answer := shopDomain{CompanyID: company.ID, View: view}
		if view.State == domain.WaitingDNS {
			answer.Note = "set one of the DNS records; the server looks it up every 10 seconds for 10 minutes, then every 5 minutes for 7 days"
		} else if !c.Remove {
			answer.Note = withoutCookies(o.hosts.Origin(company.Slug, c.Domain))
		}
		return answer, err
	})
}

type shopDomain struct {
	CompanyID shop.CompanyID `json:"company_id"`
	domain.View
	Note string `json:"note,omitempty"`
}

func withoutSensitive(scopes []shop.Scope) (out []shop.Scope) {
	for _, s := range scopes {
		if !s.Sensitive() {
			out = append(out, s)
		}
	}
	return out
}

// personOf finds the owner of a key with a role. It creates a member of that role if there is
// none: operators issue keys before they invite people.
func (o *operator) personOf(ctx context.Context, company companydb.Company, role shop.Role) (shop.UserID, error) {
	person, err := people.MemberWithRole(ctx, o.db.Shop(company.ID), role)
	if err != nil || person != 0 {
		return person, err
	}
	password, _, err := secret.New(secret.Session)
	if err != nil {
		return 0, err
	}
	return o.access.AddMember(ctx, company.ID, string(role)+"@"+company.Slug+".invalid", password, role)
}
