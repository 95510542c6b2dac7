package letter

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	letterdb "vitrine/internal/store/letter"
)

// selector is what the key of a shop is called at its domain.
const selector = "vitrine"

const (
	keyBits  = 2048
	lookTime = 5 * time.Second
)

// domainView is what a domain has to say so that letters of its shop come from it.
type domainView struct {
	Domain     string     `json:"domain"`
	Name       string     `json:"record_name" doc:"of the TXT record; empty before the key is made"`
	Value      string     `json:"record_value"`
	IsVerified bool       `json:"is_verified" doc:"the domain names the key, so letters are signed and come from it"`
	VerifiedAt *time.Time `json:"verified_at"`
}

func viewDomain(d letterdb.Domain) domainView {
	return domainView{d.Domain, recordName(d), "v=DKIM1; k=rsa; p=" + d.Public, d.VerifiedAt != nil, d.VerifiedAt}
}

func recordName(d letterdb.Domain) string { return d.Selector + "._domainkey." + d.Domain }

// own is the shop's domain with its key, where that was made for it.
func (ls *Letters) own(ctx context.Context, company shop.CompanyID) (domain string, d letterdb.Domain, made bool, err error) {
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
	domain, d, made, err := ls.own(ctx, c.Company)
	if err != nil || !made {
		return api.Wrap(domainView{Domain: domain}), err
	}
	return api.Wrap(viewDomain(d)), nil
}

// verify makes the key of a domain that has none, and looks whether the domain names it.
func (ls *Letters) verify(ctx context.Context, c *api.Call, _ api.None) (out api.Result[domainView], err error) {
	domain, d, made, err := ls.own(ctx, c.Company)
	if err != nil {
		return out, err
	}
	if !made {
		if d, err = ls.makeKey(c.Company, domain); err != nil {
			return out, err
		}
	}
	d.VerifiedAt = nil
	if ls.names(ctx, d) {
		now := ls.Now().UTC()
		d.VerifiedAt = &now
	}
	err = ls.Store.Write(ctx, c.Company, func(tx *store.Tx) error { return letterdb.SaveDomain(ctx, tx, d) })
	return api.Wrap(viewDomain(d)), err
}

// sealedTo is what the key of a shop is sealed to.
func sealedTo(company shop.CompanyID) string { return fmt.Sprintf("shop %d letters", company) }

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
		Sealed: ls.Sealer.Seal(x509.MarshalPKCS1PrivateKey(key), sealedTo(company)),
	}, nil
}

func (ls *Letters) openKey(company shop.CompanyID, d letterdb.Domain) (*rsa.PrivateKey, error) {
	der, err := ls.Sealer.Open(d.Sealed, sealedTo(company))
	if err != nil {
		return nil, err
	}
	return x509.ParsePKCS1PrivateKey(der)
}

// names reports whether the domain names the key.
func (ls *Letters) names(ctx context.Context, d letterdb.Domain) bool {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
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
