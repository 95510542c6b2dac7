// Package domain manages a shop's custom domain (CONTRACT, "Platform"). The owner names the
// domain and sets a record in its DNS; once the platform has seen that record, the domain becomes
// the shop's address.
//
// Naming a domain proves nothing, so several shops may name the same one. A TXT record with the
// text of this shop and this domain proves it. So does a CNAME to the host of the shop's slug,
// but only while no other shop names the domain, because the slug may have belonged to another
// shop before. Until then the shop keeps its address.
//
// A domain proven by its TXT record moves to the proven shop if the DNS no longer names the shop
// that held it. A buyer of a domain is therefore not locked out by a shop of its former owner.
package domain

import (
	"cmp"
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

// Config holds the dependencies of Domains.
type Config struct {
	Store  *store.Store
	Hosts  shop.Storefronts
	Admin  string // address of the admin API; its host cannot be a shop's domain
	DNS    DNS
	Secret []byte // HMAC key for the texts of the TXT records
	Now    func() time.Time

	Certificates Certificates // nil: certificates are the operator's concern
}

// Certificates are those of an authority (VITRINE_TLS=acme).
type Certificates interface {
	// Obtain orders or renews the certificate of a host if that is due. It returns its end and
	// when to call again.
	Obtain(ctx context.Context, host string) (until, renew time.Time, err error)
	// Remove deletes the certificate of a host.
	Remove(ctx context.Context, host string) error
}

// DNS looks up records. A name that does not exist yields no records and no error.
type DNS interface {
	TXT(ctx context.Context, name string) ([]string, error)
	CNAME(ctx context.Context, name string) (string, error)
}

// Domains serves the endpoints of this package.
type Domains struct{ Config }

// New returns Domains with the given dependencies.
func New(cfg Config) *Domains { return &Domains{cfg} }

// Refusals of domains.
var (
	ErrInvalid = shop.Refuse(shop.InvalidArgument, "DOMAIN_INVALID").When("the domain is not a public host name, or it belongs to this platform")
	errOwner   = api.ErrRole.With("only the owner connects and removes the shop's domain")
)

// Endpoints lists the endpoints of this package.
func (ds *Domains) Endpoints() []api.Endpoint {
	const path = "/v1/shop/domain"
	return []api.Endpoint{
		{Method: "GET", Path: path, Scopes: []shop.Scope{"domain:read"}, Manage: api.ErrRole.With("only owners and admins see the shop's domain"), Contour: api.LiveOnly, Class: api.Read, Do: api.Handle(ds.show),
			Summary: "The shop's custom domain, the DNS records that prove it, and whether they have been seen"},
		{Method: "PUT", Path: path, Scopes: []shop.Scope{"domain:write"}, Manage: errOwner, Contour: api.RefusesDraft, Fresh: api.FreshAlways, Class: api.Write, Errors: api.Refuses(ErrInvalid), Do: api.Handle(ds.connect),
			Summary: "Set the shop's custom domain; it becomes the shop's address once its DNS names the shop"},
		{Method: "DELETE", Path: path, Scopes: []shop.Scope{"domain:write"}, Manage: errOwner, Contour: api.RefusesDraft, Fresh: api.FreshAlways, Class: api.Write, Do: api.Handle(ds.remove),
			Summary: "Remove the shop's custom domain; the address of its slug applies again"},
	}
}

// States of a domain.
const (
	WaitingDNS         = "waiting_dns"
	WaitingCertificate = "waiting_certificate"
	Active             = "active"
	Failed             = "failed"
)

// View is a domain as shown to the shop's owner.
type View struct {
	Domain  string   `json:"domain" doc:"empty if the shop has no domain"`
	State   string   `json:"state" enum:",waiting_dns,waiting_certificate,active,failed" doc:"empty if the shop has no domain"`
	Records []Record `json:"records" doc:"either record is sufficient"`
	Error   string   `json:"error" doc:"why the domain is not active; empty while no record has been seen yet"`
	Until   string   `json:"certificate_until" doc:"end of the certificate that the platform obtained; empty: none"`
	Address string   `json:"storefront_url" doc:"the current address of the shop"`
}

// Record is a DNS record that proves a domain.
type Record struct {
	Type  string `json:"type" enum:"TXT,CNAME"`
	Name  string `json:"name"`
	Value string `json:"value"`
	Seen  bool   `json:"seen"`
}

type named struct {
	Domain string `json:"domain" required:"always"`
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
	if err := ds.Remove(ctx, c.Company); err != nil {
		return out, err
	}
	v, err := ds.view(ctx, c.Company)
	return api.Wrap(v), err
}

// maxDomain leaves space for the label "_vitrine." in the name of the TXT record.
const maxDomain = 253 - len("_vitrine.")

// hostForm matches host names of at least two labels, the last of which is not a number.
var hostForm = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

// clean normalizes a domain to the form of a Host header.
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

// Connect names the shop's domain and starts the checks of its DNS.
func (ds *Domains) Connect(ctx context.Context, company shop.CompanyID, domain string) error {
	host, err := ds.clean(domain)
	if err != nil {
		return err
	}
	now := ds.Now()
	return ds.Store.Write(ctx, company, func(tx *store.Tx) error { return companydb.ConnectDomain(ctx, tx, host, now, now.Add(-checkPeriod)) })
}

// ConnectAtOnce makes a domain the shop's address without a proof, on the operator's behalf.
func (ds *Domains) ConnectAtOnce(ctx context.Context, company shop.CompanyID, domain string) error {
	host, err := ds.clean(domain)
	if err != nil {
		return err
	}
	return ds.Store.Write(ctx, company, func(tx *store.Tx) error { return companydb.SetDomain(ctx, tx, host, ds.Now()) })
}

// Show checks the DNS of the shop's domain, unless that was done within the last seconds, and
// returns the domain's state.
func (ds *Domains) Show(ctx context.Context, company shop.CompanyID) (View, error) {
	d, found, err := companydb.GetDomain(ctx, ds.Store.Shop(company))
	if err != nil {
		return View{}, err
	}
	if now := ds.Now(); found && !ds.failed(d) && !ds.lacksCertificate(d) {
		free, err := companydb.LeaseDomainCheck(ctx, ds.Store, d, now, now.Add(-minInterval))
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
	v.Domain, v.State, v.Records, v.Error = d.Name, WaitingDNS, ds.records(d, info.Slug), faultTexts[d.Problem]
	if ds.Certificates != nil && !d.CertUntil.IsZero() {
		v.Until = d.CertUntil.UTC().Format(time.RFC3339)
	}
	switch {
	case ds.lacksCertificate(d):
		v.State, v.Error = WaitingCertificate, d.CertProblem
	case d.Active:
		v.State, v.Error = Active, ""
	case ds.failed(d):
		v.State = Failed
		if v.Error == "" {
			v.Error = cmp.Or(d.CertProblem, "neither record was seen within 7 days; connect the domain again once one is there")
		}
	}
	return v, nil
}

// Remove removes the shop's domain and its certificate.
func (ds *Domains) Remove(ctx context.Context, company shop.CompanyID) error {
	list, err := companydb.ShopDomains(ctx, ds.Store.Shop(company))
	if err != nil {
		return err
	}
	if err := ds.Store.Write(ctx, company, func(tx *store.Tx) error { return companydb.RemoveDomain(ctx, tx) }); err != nil {
		return err
	}
	return ds.removeCertificates(ctx, list)
}

// lacksCertificate reports whether a domain waits for its certificate.
func (ds *Domains) lacksCertificate(d companydb.Domain) bool {
	return ds.Certificates != nil && (d.Active || d.Proven && !ds.failed(d)) && !d.CertUntil.After(ds.Now())
}

func (ds *Domains) failed(d companydb.Domain) bool {
	return !d.Active && !d.RequestedAt.After(ds.Now().Add(-checkPeriod))
}
