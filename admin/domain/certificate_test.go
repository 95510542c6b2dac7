package domain_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/admin/domain"
	"vitrine/internal/outbound/dnstest"
)

// authority is an authority that fails on demand and counts.
type authority struct {
	now     func() time.Time
	fault   error
	valid   map[string]time.Time
	asked   int
	removed []string
}

func (a *authority) Obtain(_ context.Context, host string) (until, renew time.Time, err error) {
	a.asked++
	if a.fault != nil {
		return until, renew, a.fault
	}
	until = a.now().Add(90 * 24 * time.Hour)
	a.valid[host] = until
	return until, until.Add(-30 * 24 * time.Hour), nil
}

func (a *authority) Remove(_ context.Context, host string) error {
	delete(a.valid, host)
	a.removed = append(a.removed, host)
	return nil
}

// newCertifiedHome is a home whose domains get certificates.
func newCertifiedHome(t *testing.T) (*home, *authority) {
	t.Helper()
	h := &home{t: t, zone: &dnstest.Zone{}}
	ca := &authority{valid: map[string]time.Time{}}
	var cfg domain.Config
	h.API = apitest.New(t, func(c *admin.Config) {
		c.Name.DNS, c.Name.Certificates, ca.now = h.zone, ca, c.Now
		cfg = c.Name
		cfg.Store, cfg.Hosts, cfg.Now = c.Store, c.Hosts, c.Now
	})
	h.owner, h.rival = h.Session(h.OwnerID), h.Stranger
	h.slice = domain.New(cfg)
	return h, ca
}

// certify runs the worker once for all certificates that are due and returns how many those are.
func (h *home) certify() int {
	h.t.Helper()
	l := h.slice.Issuer()
	due, err := l.Claim(h.t.Context(), 100)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, d := range due {
		_ = l.Deliver(h.t.Context(), 0, d) // the test looks at what it has recorded
	}
	return len(due)
}

func TestADomainIsActiveOnceItHasItsCertificate(t *testing.T) {
	t.Parallel()
	h, ca := newCertifiedHome(t)
	name, text := h.text(h.connect(h.owner, "tea.example"))
	if h.certify() != 0 || ca.asked != 0 {
		t.Error("a certificate was ordered for a domain that is not proven")
	}
	h.zone.SetTXT(name, text)
	v := h.state(h.owner, "waiting_certificate")
	if v["storefront_url"] != "http://tea.shops.test" || v["certificate_until"] != "" || h.address(h.Shop.ID) != "" {
		t.Errorf("%v", v)
	}
	ca.fault = errors.New("no address here")
	h.certify()
	if v := h.state(h.owner, "waiting_certificate"); !strings.Contains(v["error"].(string), "no address here") {
		t.Errorf("%v", v)
	}
	if h.certify() != 0 {
		t.Error("a failed order is repeated at once")
	}
	h.Clock.Advance(5 * time.Minute)
	_, ca.fault = h.Store.Pool.Exec(t.Context(), `DO $$ BEGIN RAISE EXCEPTION 'could not extend a file' USING ERRCODE = 'disk_full'; END $$`)
	h.certify()
	if v := h.state(h.owner, "waiting_certificate"); v["error"] != "the platform cannot store certificates for now; it tries again every minute" {
		t.Errorf("%v", v)
	}
	ca.fault = nil
	h.Clock.Advance(time.Minute)
	if n := h.certify(); n != 1 {
		t.Errorf("%d orders after a pause", n)
	}
	v = h.state(h.owner, "active")
	if v["storefront_url"] != "http://tea.example" || v["error"] != "" || !strings.HasPrefix(v["certificate_until"].(string), ca.valid["tea.example"].UTC().Format("2006-01-02T15:04")) {
		t.Errorf("%v", v)
	}
}

func TestCertificatesAreRenewedInTime(t *testing.T) {
	t.Parallel()
	h, ca := newCertifiedHome(t)
	name, text := h.text(h.connect(h.owner, "tea.example"))
	h.zone.SetTXT(name, text)
	h.state(h.owner, "waiting_certificate")
	h.certify()
	h.owner = h.Key(h.OwnerID, "owner", "prod", "domain:read", "domain:write") // sessions expire meanwhile
	asked := ca.asked
	h.Clock.Advance(59 * 24 * time.Hour)
	if h.certify() != 0 {
		t.Error("it is renewed too early")
	}
	h.Clock.Advance(2 * 24 * time.Hour)
	ca.fault = errors.New("the authority is unavailable")
	if h.certify() != 1 || ca.asked != asked+1 {
		t.Error("it is not renewed")
	}
	h.state(h.owner, "active") // its certificate is valid for some weeks more
	h.Clock.Advance(31 * time.Minute)
	ca.fault = nil
	if h.certify() != 1 {
		t.Error("a failed renewal is not repeated")
	}
	h.Clock.Advance(80 * 24 * time.Hour)
	ca.fault = errors.New("the authority is gone")
	h.certify()
	h.Clock.Advance(20 * 24 * time.Hour)
	if v := h.state(h.owner, "waiting_certificate"); !strings.Contains(v["error"].(string), "is gone") {
		t.Errorf("a certificate that has ended: %v", v)
	}
}

func TestARemovedDomainLosesItsCertificate(t *testing.T) {
	t.Parallel()
	h, ca := newCertifiedHome(t)
	prove := func(host string) {
		t.Helper()
		name, text := h.text(h.connect(h.owner, host))
		h.zone.SetTXT(name, text)
		h.state(h.owner, "waiting_certificate")
		h.certify()
		h.state(h.owner, "active")
	}
	prove("old.example")
	h.connect(h.rival, "old.example") // names it too, which is nothing
	h.Result("DELETE", path, h.rival, nil)
	if len(ca.removed) != 0 {
		t.Errorf("a stranger has removed %v", ca.removed)
	}
	prove("new.example")
	if len(ca.removed) != 1 || ca.removed[0] != "old.example" {
		t.Errorf("a replaced domain: %v", ca.removed)
	}
	h.Result("DELETE", path, h.owner, nil)
	if len(ca.valid) != 0 || h.certify() != 0 {
		t.Errorf("%v are left", ca.valid)
	}
}

// Domains that were connected without an authority get their certificates when there is one.
func TestActiveDomainsGetCertificates(t *testing.T) {
	t.Parallel()
	h, ca := newCertifiedHome(t)
	if err := h.slice.ConnectAtOnce(t.Context(), h.Shop.ID, "tea.example"); err != nil {
		t.Fatal(err)
	}
	if v := h.state(h.owner, "waiting_certificate"); v["storefront_url"] != "http://tea.example" {
		t.Errorf("%v", v)
	}
	if h.certify() != 1 || len(ca.valid) != 1 {
		t.Errorf("%v", ca.valid)
	}
	h.state(h.owner, "active")
}

// A proven domain that another shop gets first is checked again like one that is not proven.
func TestADomainThatAnotherShopGetsFirstWaitsForItsProof(t *testing.T) {
	t.Parallel()
	h, _ := newCertifiedHome(t)
	name, mine := h.text(h.connect(h.owner, "tea.example"))
	_, theirs := h.text(h.connect(h.rival, "tea.example"))
	h.zone.SetTXT(name, mine, theirs)
	h.state(h.owner, "waiting_certificate")
	h.state(h.rival, "waiting_certificate")
	if h.certify() != 2 {
		t.Error("not both are due")
	}
	states := map[any]int{}
	for _, who := range []string{h.owner, h.rival} {
		states[h.Result("GET", path, who, nil)["state"]]++
	}
	if states["active"] != 1 || states["waiting_dns"] != 1 {
		t.Errorf("%v", states)
	}
}
