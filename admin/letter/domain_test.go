package letter_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-msgauth/dkim"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/internal/mail/mailtest"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	letterdb "vitrine/internal/store/letter"
)

// Once the shop's domain publishes the key, letters are sent from the domain and signed with the
// key.
func TestLettersOfADomainAreSigned(t *testing.T) {
	t.Parallel()
	p := startWorker(t, &mailtest.Box{})
	ctx := t.Context()
	if err := p.Store.Write(ctx, p.Shop.ID, func(tx *store.Tx) error { return companydb.SetDomain(ctx, tx, "tea.test", time.Now()) }); err != nil {
		t.Fatal(err)
	}
	made := p.Result("POST", "/v1/shop/letters/domain", p.owner, m{})
	p.orders(1, "ann@people.test")
	p.until("order_made_buyer", "sent", 1)
	err := p.Store.Write(ctx, p.Shop.ID, func(tx *store.Tx) error { // as if the domain published the key
		d, _, err := letterdb.GetDomain(ctx, tx.Reader)
		now := time.Now()
		d.VerifiedAt = &now
		return errors.Join(err, letterdb.SaveDomain(ctx, tx, d))
	})
	if err != nil {
		t.Fatal(err)
	}
	p.orders(1, "ben@people.test")
	p.until("order_made_buyer", "sent", 2)
	for _, got := range p.box.Mails() {
		found, err := dkim.VerifyWithOptions(bytes.NewReader(got.Raw), &dkim.VerifyOptions{LookupTXT: func(name string) ([]string, error) {
			if name != made["record_name"] {
				t.Errorf("asked for %s", name)
			}
			return []string{made["record_value"].(string)}, nil
		}})
		switch got.To {
		case "ann@people.test":
			if err != nil || len(found) != 0 || got.From != "shop@shops.test" {
				t.Errorf("before: %v, %v from %s", found, err, got.From)
			}
		case "ben@people.test":
			if err != nil || len(found) != 1 || found[0].Err != nil || found[0].Domain != "tea.test" || got.From != "shop@tea.test" {
				t.Errorf("after: %+v, %v from %s", found, err, got.From)
			}
		}
	}
}

// A letter is sent from the shop's domain once that publishes the key, and not before.
func TestTheDomainIsVerifiedByItsRecord(t *testing.T) {
	t.Parallel()
	says := []string(nil)
	a := apitest.New(t, func(c *admin.Config) {
		c.Mail.TXT = func(_ context.Context, name string) ([]string, error) {
			if name != "vitrine._domainkey.tea.test" {
				return nil, fmt.Errorf("asked for %s", name)
			}
			return says, nil
		}
	})
	owner := a.Session(a.OwnerID)
	const path = "/v1/shop/letters/domain"
	if got := a.Result("GET", path, owner, nil); got["domain"] != "" || got["record_name"] != "" {
		t.Errorf("a shop without a domain: %v", got)
	}
	a.Refused("POST", path, owner, m{}, 400, "DOMAIN_REQUIRED")
	if err := a.Store.Write(t.Context(), a.Shop.ID, func(tx *store.Tx) error { return companydb.SetDomain(t.Context(), tx, "tea.test", time.Now()) }); err != nil {
		t.Fatal(err)
	}
	if d := a.Result("GET", path, owner, nil); d["domain"] != "tea.test" || d["record_name"] != "" {
		t.Errorf("%v", d)
	}
	made := a.Result("POST", path, owner, m{})
	if made["is_verified"] != false || made["record_name"] != "vitrine._domainkey.tea.test" {
		t.Fatalf("%v", made)
	}
	for _, wrong := range [][]string{{"v=DKIM1; p=AAAA"}, {"hello"}, {""}} {
		says = wrong
		if d := a.Result("POST", path, owner, m{}); d["is_verified"] != false || d["record_value"] != made["record_value"] {
			t.Errorf("%v: %v", wrong, d)
		}
	}
	says = []string{"other", strings.Replace(made["record_value"].(string), "p=", " p= ", 1)}
	if d := a.Result("POST", path, owner, m{}); d["is_verified"] != true {
		t.Errorf("%v", d)
	}
}
