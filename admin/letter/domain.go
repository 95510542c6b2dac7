package letter

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	letterdb "vitrine/internal/store/letter"
)

// selector is the DKIM selector of the shops' keys.
const selector = "vitrine"

const (
	keyBits       = 2048
	lookupTimeout = 5 * time.Second
)

// domainView is the DNS record that a shop's domain needs so that letters can be sent from it.
type domainView struct {
	Domain     string     `json:"domain" doc:"empty: the shop has none"`
	Name       string     `json:"record_name" doc:"name of the TXT record; empty before the key is created"`
	Value      string     `json:"record_value"`
	IsVerified bool       `json:"is_verified" doc:"the domain publishes the key, so letters are signed and sent from the domain"`
	VerifiedAt *time.Time `json:"verified_at"`
}

func viewDomain(d letterdb.Domain) domainView {
	return domainView{d.Domain, recordName(d), "v=DKIM1; k=rsa; p=" + d.Public, d.VerifiedAt != nil, d.VerifiedAt}
}

func recordName(d letterdb.Domain) string { return d.Selector + "._domainkey." + d.Domain }

// shopDomain returns the shop's domain and, if one was created for it, its key.
func (ls *Letters) shopDomain(ctx context.Context, company shop.CompanyID) (domain string, d letterdb.Domain, made bool, err error) {
	r := ls.Store.Shop(company)
	info, err := companydb.Info(ctx, r)
	if err != nil {
		return "", d, false, err
	}
	if info.Domain == "" {
		return "", d, false, errNoDomain
	}
	d, found, err := letterdb.GetDomain(ctx, r)
	return info.Domain, d, found && d.Domain == info.Domain, err
}

func (ls *Letters) domain(ctx context.Context, c *api.Call, _ api.None) (out api.Result[domainView], err error) {
	domain, d, made, err := ls.shopDomain(ctx, c.Company)
	switch {
	case errors.Is(err, errNoDomain):
		err = nil
	case made:
		return api.Wrap(viewDomain(d)), nil
	}
	return api.Wrap(domainView{Domain: domain}), err
}

// verify creates a key for a domain that has none, and checks whether the domain's DNS publishes
// it.
func (ls *Letters) verify(ctx context.Context, c *api.Call, _ api.None) (out api.Result[domainView], err error) {
	domain, d, made, err := ls.shopDomain(ctx, c.Company)
	if err != nil {
		return out, err
	}
	if !made {
		if d, err = ls.makeKey(c.Company, domain); err != nil {
			return out, err
		}
	}
	d.VerifiedAt = nil
	if ls.publishesKey(ctx, d) {
		now := ls.Now().UTC()
		d.VerifiedAt = &now
	}
	err = ls.Store.Write(ctx, c.Company, func(tx *store.Tx) error { return letterdb.SaveDomain(ctx, tx, d) })
	return api.Wrap(viewDomain(d)), err
}

// sealContext returns the context that the key of a shop is sealed with.
func sealContext(company shop.CompanyID) string { return fmt.Sprintf("shop %d letters", company) }

func (ls *Letters) makeKey(company shop.CompanyID, domain string) (d letterdb.Domain, err error) {
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return d, err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return d, err
	}
	return letterdb.Domain{
		Domain: domain, Selector: selector, Public: base64.StdEncoding.EncodeToString(public),
		Sealed: ls.Sealer.Seal(x509.MarshalPKCS1PrivateKey(key), sealContext(company)),
	}, nil
}

func (ls *Letters) openKey(company shop.CompanyID, d letterdb.Domain) (*rsa.PrivateKey, error) {
	der, err := ls.Sealer.Open(d.Sealed, sealContext(company))
	if err != nil {
		return nil, err
	}
	return x509.ParsePKCS1PrivateKey(der)
}

// publishesKey reports whether the domain's DNS publishes the key.
func (ls *Letters) publishesKey(ctx context.Context, d letterdb.Domain) bool {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	records, err := ls.TXT(ctx, recordName(d))
	if err != nil {
		return false
	}
	for _, record := range records {
		for tag := range strings.SplitSeq(record, ";") {
			name, value, _ := strings.Cut(tag, "=")
			if strings.TrimSpace(name) == "p" && strings.Join(strings.Fields(value), "") == d.Public {
				return true
			}
		}
	}
	return false
}
