package domain_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/admin/domain"
	"vitrine/internal/outbound/dnstest"
	"vitrine/internal/shop"
	companydb "vitrine/internal/store/company"
)

type m = map[string]any

const path = "/v1/shop/domain"

// home is two shops whose owners name domains, and the worker that checks the proofs.
type home struct {
	*apitest.API
	t     *testing.T
	zone  *dnstest.Zone
	owner string // a session of Shop's owner
	rival string // a key of Other's owner
	slice *domain.Domains
}

func newHome(t *testing.T) *home {
	t.Helper()
	h := &home{t: t, zone: &dnstest.Zone{}}
	var cfg domain.Config
	h.API = apitest.New(t, func(c *admin.Config) {
		c.Name.DNS = h.zone
		cfg = c.Name
		cfg.Store, cfg.Hosts, cfg.Now = c.Store, c.Hosts, c.Now
	})
	h.owner, h.rival = h.Session(h.OwnerID), h.Stranger
	h.slice = domain.New(cfg)
	return h
}

// round runs the worker once for all domains that are due and returns how many those are.
func (h *home) round() int {
	h.t.Helper()
	p := h.slice.Prover()
	due, err := p.Claim(h.t.Context(), 100)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, d := range due {
		if err := p.Deliver(h.t.Context(), 0, d); err != nil {
			h.t.Error(err)
		}
	}
	return len(due)
}

func (h *home) connect(who, host string) m {
	h.t.Helper()
	return h.Result("PUT", path, who, m{"domain": host})
}

// text returns the TXT record that proves a domain for a caller's shop.
func (h *home) text(v m) (name, value string) {
	h.t.Helper()
	r := v["records"].([]any)[0].(m)
	return r["name"].(string), r["value"].(string)
}

func (h *home) state(who, want string) m {
	h.t.Helper()
	h.Clock.Advance(6 * time.Second) // a GET checks the DNS at most every 5 seconds
	v := h.Result("GET", path, who, nil)
	if v["state"] != want {
		h.t.Errorf("the state is %v, want %s: %v", v["state"], want, v)
	}
	return v
}

func (h *home) address(id shop.CompanyID) string {
	h.t.Helper()
	c, err := companydb.Info(context.Background(), h.Store.Shop(id))
	if err != nil {
		h.t.Fatal(err)
	}
	return c.Domain
}

func TestADomainIsActiveOnceItsTXTRecordIsSeen(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	if v := h.Result("GET", path, h.owner, nil); v["domain"] != "" || v["state"] != "" || len(v["records"].([]any)) != 0 {
		t.Errorf("a shop without a domain: %v", v)
	}
	v := h.connect(h.owner, " Tea.Example. ")
	name, value := h.text(v)
	if v["domain"] != "tea.example" || v["state"] != "waiting_dns" || v["error"] != "" || v["storefront_url"] != "http://tea.shops.test" || name != "_vitrine.tea.example" {
		t.Errorf("%v", v)
	}
	if token, ok := strings.CutPrefix(value, "vitrine-shop="); !ok || len(token) != 32 {
		t.Errorf("the value of the record is %q", value)
	}
	cname := v["records"].([]any)[1].(m)
	if cname["type"] != "CNAME" || cname["name"] != "tea.example" || cname["value"] != "tea.shops.test" || cname["seen"] != false {
		t.Errorf("%v", cname)
	}
	h.zone.SetTXT(name, "v=spf1 -all", strings.ToUpper(value), value[:len(value)-1], value+"0")
	h.state(h.owner, "waiting_dns")
	h.zone.SetTXT(name, "v=spf1 -all", value)
	v = h.state(h.owner, "active")
	if seen := v["records"].([]any)[0].(m)["seen"]; seen != true || v["storefront_url"] != "http://tea.example" || h.address(h.Shop.ID) != "tea.example" {
		t.Errorf("%v", v)
	}
	h.zone.SetTXT(name) // the record may be removed once it has been seen
	h.state(h.owner, "active")
	if again := h.connect(h.owner, "tea.example"); again["state"] != "active" {
		t.Errorf("connected again: %v", again)
	}
	if v := h.Result("DELETE", path, h.owner, nil); v["domain"] != "" || v["storefront_url"] != "http://tea.shops.test" || h.address(h.Shop.ID) != "" {
		t.Errorf("removed: %v", v)
	}
	if _, again := h.text(h.connect(h.owner, "tea.example")); again != value {
		t.Error("the record of the same shop and domain has changed")
	}
}

func TestACNAMEProvesADomainNamedByOneShopOnly(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.connect(h.owner, "tea.example")
	h.connect(h.rival, "tea.example")
	h.zone.SetCNAME("tea.example", "tea.shops.test")
	v := h.state(h.owner, "waiting_dns")
	if v["error"] == "" || v["records"].([]any)[1].(m)["seen"] != true {
		t.Errorf("a contested domain: %v", v)
	}
	h.state(h.rival, "waiting_dns")
	h.Result("DELETE", path, h.rival, nil)
	h.state(h.owner, "active")
	h.connect(h.rival, "tea.example")
	h.zone.SetCNAME("tea.example", "rival.shops.test") // a CNAME to another shop does not take an active domain
	h.state(h.rival, "waiting_dns")
	h.state(h.owner, "active")
}

// Naming a domain without owning it does not lock its owner out, nor does a shop of a former
// owner.
func TestADomainGoesToTheShopThatItsTXTRecordNames(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	name, mine := h.text(h.connect(h.owner, "tea.example"))
	_, theirs := h.text(h.connect(h.rival, "tea.example"))
	if mine == theirs {
		t.Fatal("two shops have the same text")
	}
	h.zone.SetTXT(name, theirs)
	h.state(h.owner, "waiting_dns")
	h.state(h.rival, "active")
	h.zone.SetTXT(name, theirs, mine)
	if v := h.state(h.owner, "waiting_dns"); !strings.Contains(v["error"].(string), "another shop has this domain") {
		t.Errorf("%v", v)
	}
	h.zone.SetTXT(name, mine)
	h.state(h.owner, "active")
	if h.address(h.Other.ID) != "" {
		t.Error("two shops have the domain")
	}
	h.state(h.rival, "waiting_dns")
}

func TestADNSFailureDoesNotTakeADomainAway(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	name, mine := h.text(h.connect(h.owner, "tea.example"))
	h.zone.SetTXT(name, mine)
	h.state(h.owner, "active")
	h.connect(h.rival, "tea.example")
	h.zone.Silence(true)
	if v := h.state(h.rival, "waiting_dns"); v["error"] != "the domain's DNS did not answer" {
		t.Errorf("%v", v)
	}
	h.state(h.owner, "active")
}

// A shop keeps its domain while another one waits for its proof.
func TestANewDomainReplacesTheOldOneWhenProven(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	name, text := h.text(h.connect(h.owner, "old.example"))
	h.zone.SetTXT(name, text)
	h.state(h.owner, "active")
	v := h.connect(h.owner, "new.example")
	if v["state"] != "waiting_dns" || v["storefront_url"] != "http://old.example" {
		t.Errorf("%v", v)
	}
	name, text = h.text(v)
	h.zone.SetTXT(name, text)
	if v = h.state(h.owner, "active"); v["domain"] != "new.example" || v["storefront_url"] != "http://new.example" {
		t.Errorf("%v", v)
	}
}

func TestTheWorkerChecksOftenAtFirstAndStopsAfterAWeek(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.connect(h.owner, "tea.example")
	checks := func(every, during time.Duration) (n int) {
		for range during / every {
			n += h.round()
			h.Clock.Advance(every)
		}
		return n
	}
	if n := checks(time.Second, 10*time.Minute); n != 60 {
		t.Errorf("%d DNS checks in 10 minutes", n)
	}
	if n := checks(10*time.Second, time.Hour); n < 11 || n > 13 {
		t.Errorf("%d DNS checks in the next hour", n)
	}
	h.Clock.Advance(7 * 24 * time.Hour)
	h.owner = h.Key(h.OwnerID, shop.Owner, shop.Prod, "domain:read", "domain:write") // the session has expired
	if n := checks(time.Minute, time.Hour); n != 0 {
		t.Errorf("%d DNS checks after a week", n)
	}
	v := h.state(h.owner, "failed")
	if !strings.Contains(v["error"].(string), "7 days") {
		t.Errorf("%v", v)
	}
	name, text := h.text(h.connect(h.owner, "tea.example")) // restarts the week
	h.zone.SetTXT(name, text)
	if n := h.round(); n != 1 || h.address(h.Shop.ID) != "tea.example" {
		t.Errorf("%d DNS checks, the shop is at %q", n, h.address(h.Shop.ID))
	}
	if n := checks(time.Second, time.Minute); n != 0 {
		t.Errorf("%d DNS checks of an active domain", n)
	}
}

func TestADomainIsCheckedAtMostEveryFiveSeconds(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.connect(h.owner, "tea.example")
	before := h.zone.Asked()
	for range 20 {
		h.Result("GET", path, h.owner, nil)
	}
	if n := h.zone.Asked() - before; n != 1 {
		t.Errorf("20 calls asked the DNS %d times", n)
	}
}

func TestOnlyAPublicHostNameIsADomain(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for _, wrong := range []any{
		"", "tea", "localhost", "127.0.0.1", "[::1]", "tea.example:80", "https://tea.example", "tea.example/x", "a b.example", "*.tea.example",
		"-tea.example", "tea-.example", "tea..example", ".tea.example", "tea.123", "te_a.example", "shops.test", "rival.shops.test", "a.b.shops.test",
		"admin.test", strings.Repeat("a", 64) + ".example", strings.Repeat("a.", 123) + "example", "tea\nexample.com",
	} {
		h.Refused("PUT", path, h.owner, m{"domain": wrong}, 400, "DOMAIN_INVALID")
	}
	h.Refused("PUT", path, h.owner, m{}, 400, "DOMAIN_INVALID")
	h.Refused("PUT", path, h.owner, m{"domain": strings.Repeat("a", 256)}, 400, "TEXT_TOO_LONG")
	for typed, want := range map[string]string{"ЧАЙ.рф": "xn--80as4b.xn--p1ai", "tea.example.": "tea.example", "ｔｅａ.example": "tea.example"} {
		if v := h.connect(h.owner, typed); v["domain"] != want {
			t.Errorf("%s: %v", typed, v["domain"])
		}
	}
}

func TestTheOwnerConnectsDomainsAndAdminsReadThem(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	admin := h.Member(shop.Admin)
	for who, c := range map[string]struct {
		token string
		read  string // code of the refusal, empty: allowed
		write string
	}{
		"owner":                    {h.owner, "", ""},
		"owner's key":              {h.Key(h.OwnerID, shop.Owner, shop.Prod, "domain:read", "domain:write"), "", ""},
		"key without the scope":    {h.Key(h.OwnerID, shop.Owner, shop.Prod, "catalog:read"), "PAT_SCOPE_MISSING", "PAT_SCOPE_MISSING"},
		"key of the draft contour": {h.Dev, "", "PAT_CONTOUR_MISMATCH"},
		"admin":                    {h.Session(admin), "", "ROLE_REQUIRED"},
		"admin's key":              {h.Key(admin, shop.Admin, shop.Prod, "domain:read", "domain:write"), "", "ROLE_REQUIRED"},
		"editor":                   {h.Session(h.EditorID), "ROLE_REQUIRED", "ROLE_REQUIRED"},
		"nobody":                   {"", "UNAUTHENTICATED", "UNAUTHENTICATED"},
	} {
		for _, call := range []struct {
			method string
			body   any
			code   string
		}{{"GET", nil, c.read}, {"PUT", m{"domain": "tea.example"}, c.write}, {"DELETE", nil, c.write}} {
			status, answer := h.Call(call.method, path, c.token, call.body)
			if code := apitest.Code(answer); code != call.code || (status == 200) != (code == "") {
				t.Errorf("%s, %s: %d %v, want %q", who, call.method, status, answer, call.code)
			}
		}
	}
}

func TestTheOperatorNeedsNoProof(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	if err := h.slice.ConnectAtOnce(t.Context(), h.Shop.ID, "tea.example"); err != nil || h.address(h.Shop.ID) != "tea.example" {
		t.Errorf("%v", err)
	}
	if err := h.slice.ConnectAtOnce(t.Context(), h.Other.ID, "tea.example"); !strings.Contains(fmt.Sprint(err), companydb.ErrDomainTaken.Code) {
		t.Errorf("a domain of another shop: %v", err)
	}
	if h.address(h.Other.ID) != "" {
		t.Error("two shops have it")
	}
}
