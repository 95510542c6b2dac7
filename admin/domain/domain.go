// Package domain is a shop's own domain (CONTRACT, "Platform"): the owner names it, sets a
// record in its DNS, and it becomes the shop's address once that record has been seen.
//
// Naming a domain proves nothing, so any number of shops may name one. A TXT record with
// the text of this shop and this domain proves it; so does a CNAME to the host of the
// shop's slug, as long as nobody else names the domain: a slug may have belonged to
// somebody else before. Until then the shop keeps its address.
//
// A domain that is proven by its TXT record goes to the shop that has it now, if the DNS
// names the shop that held it no more: whoever bought a domain is not shut out by a shop of
// its former owner.
package domain

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
)

// Config is what domains stand on.
type Config struct {
	Store  *store.Store
	Hosts  shop.Storefronts
	Admin  string // address of the admin API, whose host is no shop's
	DNS    DNS
	Secret []byte // what the texts of the TXT records are made with
	Now    func() time.Time
}

// DNS reads records. A name that does not exist has none, without an error.
type DNS interface {
	TXT(ctx context.Context, name string) ([]string, error)
	CNAME(ctx context.Context, name string) (string, error)
}

// Domains answers the endpoints of this package.
type Domains struct{ Config }

// New makes the slice.
func New(cfg Config) *Domains { return &Domains{cfg} }

// Refusals of domains.
var (
	ErrInvalid = shop.Refuse(shop.InvalidArgument, "DOMAIN_INVALID").When("the domain is no public host name, or it belongs to this platform")
	errOwner   = api.ErrRole.With("the owner connects and removes the shop's domain")
)

// Endpoints is the table of this slice.
func (ds *Domains) Endpoints() []api.Endpoint {
	const path = "/v1/shop/domain"
	return []api.Endpoint{
		{Method: "GET", Path: path, Scopes: []shop.Scope{"domain:read"}, Manage: api.ErrRole.With("the shop's domain is for owners and admins"), Contour: api.LiveOnly, Class: api.Read, Do: api.Handle(ds.show),
			Summary: "The shop's own domain, the records that prove it, and whether they are seen"},
		{Method: "PUT", Path: path, Scopes: []shop.Scope{"domain:write"}, Manage: errOwner, Contour: api.RefusesDraft, Class: api.Write, Errors: api.Refuses(ErrInvalid), Do: api.Handle(ds.connect),
			Summary: "Name the domain that is to be the shop's address; it is, once its DNS names the shop"},
		{Method: "DELETE", Path: path, Scopes: []shop.Scope{"domain:write"}, Manage: errOwner, Contour: api.RefusesDraft, Class: api.Write, Do: api.Handle(ds.remove),
			Summary: "Remove the shop's domain: its address is that of its slug again"},
	}
}

// States of a domain.
const (
	WaitingDNS = "waiting_dns"
	Active     = "active"
	Failed     = "failed"
)

// View is a domain as its owner sees it.
type View struct {
	Domain  string   `json:"domain" doc:"empty: the shop has none"`
	State   string   `json:"state" enum:",waiting_dns,waiting_certificate,active,failed" doc:"empty: the shop has none"`
	Records []Record `json:"records" doc:"either suffices"`
	Error   string   `json:"error" doc:"why it is not active, beyond that no record is seen yet"`
	Address string   `json:"storefront_url" doc:"where the shop is at the moment"`
}

// Record is a DNS record that proves a domain.
type Record struct {
	Type  string `json:"type" enum:"TXT,CNAME"`
	Name  string `json:"name"`
	Value string `json:"value"`
	Seen  bool   `json:"seen"`
}

type named struct {
	Domain string `json:"domain"`
}

func (ds *Domains) show(ctx context.Context, c *api.Call, _ api.None) (out api.Result[View], err error) {
	v, err := ds.Show(ctx, c.Company)
	return api.Wrap(v), err
}

func (ds *Domains) connect(ctx context.Context, c *api.Call, in named) (out api.Result[View], err error) {
	if c.Role != shop.Owner {
		return out, errOwner
	}
	if err := ds.Connect(ctx, c.Company, in.Domain); err != nil {
		return out, err
	}
	v, err := ds.view(ctx, c.Company)
	return api.Wrap(v), err
}

func (ds *Domains) remove(ctx context.Context, c *api.Call, _ api.None) (out api.Result[View], err error) {
	if c.Role != shop.Owner {
		return out, errOwner
	}
	if err := ds.Store.Write(ctx, c.Company, func(tx *store.Tx) error { return companydb.RemoveDomain(ctx, tx) }); err != nil {
		return out, err
	}
	v, err := ds.view(ctx, c.Company)
	return api.Wrap(v), err
}

// maxDomain leaves room for the label before it in the name of the TXT record.
const maxDomain = 253 - len("_vitrine.")

// hostForm is a name of at least two labels, the last of which is no number.
var hostForm = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

// clean is a domain in the form that a Host field has.
func (ds *Domains) clean(domain string) (string, error) {
	host, err := idna.Lookup.ToASCII(strings.TrimSuffix(strings.TrimSpace(domain), "."))
	if err != nil || len(host) > maxDomain || !hostForm.MatchString(host) {
		return "", ErrInvalid.At("domain").With("expected a host name such as shop.example.com")
	}
	if ds.Hosts.Owns(host) {
		return "", ErrInvalid.At("domain").With(host + " belongs to the storefront domain itself")
	}
	if u, err := url.Parse(ds.Admin); err == nil && host == strings.ToLower(u.Hostname()) {
		return "", ErrInvalid.At("domain").With(host + " is the address of the admin API")
	}
	return host, nil
}

// Connect names a domain. Its proof is looked for from now on.
func (ds *Domains) Connect(ctx context.Context, company shop.CompanyID, domain string) error {
	host, err := ds.clean(domain)
	if err != nil {
		return err
	}
	now := ds.Now()
	return ds.Store.Write(ctx, company, func(tx *store.Tx) error { return companydb.ConnectDomain(ctx, tx, host, now, now.Add(-lookFor)) })
}

// ConnectAtOnce makes a domain the shop's address without a proof: a word of the operator.
func (ds *Domains) ConnectAtOnce(ctx context.Context, company shop.CompanyID, domain string) error {
	host, err := ds.clean(domain)
	if err != nil {
		return err
	}
	return ds.Store.Write(ctx, company, func(tx *store.Tx) error { return companydb.SetDomain(ctx, tx, host, ds.Now()) })
}

// Show looks for the proof of the shop's domain, unless that was done a moment ago, and
// tells how it stands.
func (ds *Domains) Show(ctx context.Context, company shop.CompanyID) (View, error) {
	d, found, err := companydb.GetDomain(ctx, ds.Store.Shop(company))
	if err != nil {
		return View{}, err
	}
	if now := ds.Now(); found && !ds.failed(d) {
		free, err := companydb.LeaseDomainLook(ctx, ds.Store, d, now, now.Add(-between))
		if err == nil && free {
			err = ds.look(ctx, d)
		}
		if err != nil {
			return View{}, err
		}
	}
	return ds.view(ctx, company)
}

func (ds *Domains) view(ctx context.Context, company shop.CompanyID) (v View, err error) {
	r := ds.Store.Shop(company)
	info, err := companydb.Info(ctx, r)
	if err != nil {
		return v, err
	}
	v = View{Records: []Record{}, Address: ds.Hosts.Origin(info.Slug, info.Domain)}
	d, found, err := companydb.GetDomain(ctx, r)
	if err != nil || !found {
		return v, err
	}
	v.Domain, v.State, v.Records, v.Error = d.Name, WaitingDNS, ds.records(d, info.Slug), faultTexts[d.Fault]
	switch {
	case d.Active:
		v.State, v.Error = Active, ""
	case ds.failed(d):
		v.State = Failed
		if v.Error == "" {
			v.Error = "neither record was seen within 7 days; connect the domain again once one is there"
		}
	}
	return v, nil
}

func (ds *Domains) failed(d companydb.Domain) bool {
	return !d.Active && !d.AskedAt.After(ds.Now().Add(-lookFor))
}
