package domain

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"vitrine/internal/deliver"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
)

// Intervals of the DNS checks (CONTRACT, "Platform").
const (
	minInterval   = 5 * time.Second // at least, of two checks caused by GET
	quickInterval = 10 * time.Second
	quickPeriod   = 10 * time.Minute
	slowInterval  = 5 * time.Minute
	checkPeriod   = 7 * 24 * time.Hour
	maxConcurrent = 16               // concurrent checks of a worker
	claimBatch    = 64               // domains claimed at once
	lease         = 30 * time.Second // longer than a check: at most four DNS queries of 5 s
	tick          = 2 * time.Second
)

// faultTexts explain why a record that was seen is not sufficient, or why nothing is known.
var faultTexts = map[string]string{
	"":           "",
	"unanswered": "the domain's DNS did not answer",
	"contested":  "another shop names this domain too, so only the TXT record proves it",
	"taken":      "another shop has this domain, and its record is still in the DNS",
}

// text returns the value of the TXT record: 32 characters derived from this shop and this domain.
func (ds *Domains) text(d companydb.Domain) string {
	mac := hmac.New(sha256.New, ds.Secret)
	fmt.Fprintf(mac, "%d %s", d.Company, d.Name)
	return "vitrine-shop=" + hex.EncodeToString(mac.Sum(nil))[:32]
}

func (ds *Domains) records(d companydb.Domain, slug string) []Record {
	return []Record{
		{"TXT", "_vitrine." + d.Name, ds.text(d), slices.Contains(d.Seen, "TXT")},
		{"CNAME", d.Name, ds.Hosts.Hosts(slug, "")[0], slices.Contains(d.Seen, "CNAME")},
	}
}

// Prover returns the background loop that checks the DNS of domains awaiting their proof.
func (ds *Domains) Prover() *deliver.Loop[companydb.Domain] {
	return &deliver.Loop[companydb.Domain]{
		Name: "domains", Workers: maxConcurrent, PerWorker: 1, Batch: claimBatch, Lease: lease, Interval: tick,
		Claim: func(ctx context.Context, most int) ([]companydb.Domain, error) {
			now := ds.Now()
			return companydb.DueDomains(ctx, ds.Store, now, now.Add(-checkPeriod), now.Add(-quickPeriod), quickInterval, slowInterval, most)
		},
		Deliver: func(ctx context.Context, _ int, d companydb.Domain) error { return ds.look(ctx, d) },
	}
}

// look records which DNS records of a domain exist, and makes a proven domain the shop's address.
func (ds *Domains) look(ctx context.Context, d companydb.Domain) error {
	seen, err := ds.seen(ctx, d)
	d.Seen, d.Problem = seen, ""
	if err != nil {
		d.Problem = "unanswered"
	}
	if len(seen) > 0 && !d.Active {
		if d.Problem, err = ds.prove(ctx, d); err != nil {
			return err
		}
	}
	return companydb.RecordDomainCheck(ctx, ds.Store, d)
}

// seen returns the types of the DNS records that name the shop.
func (ds *Domains) seen(ctx context.Context, d companydb.Domain) (types []string, err error) {
	info, err := companydb.Info(ctx, ds.Store.Shop(d.Company))
	if err != nil {
		return nil, err
	}
	records := ds.records(d, info.Slug)
	texts, err := ds.DNS.TXT(ctx, records[0].Name)
	if slices.ContainsFunc(texts, func(text string) bool { return strings.TrimSpace(text) == records[0].Value }) {
		types = append(types, "TXT")
	}
	target, failed := ds.DNS.CNAME(ctx, records[1].Name)
	if target == records[1].Value {
		types = append(types, "CNAME")
	}
	return types, errors.Join(err, failed)
}

// prove makes a proven domain the shop's address, or has it wait for its certificate. It returns the
// fault that prevents it.
func (ds *Domains) prove(ctx context.Context, d companydb.Domain) (fault string, err error) {
	now := ds.Now()
	holder, named, err := companydb.DomainRivals(ctx, ds.Store, d, now.Add(-checkPeriod))
	if err != nil {
		return "", err
	}
	if named && !slices.Contains(d.Seen, "TXT") {
		return "contested", nil
	}
	if holder != 0 {
		theirs, err := ds.seen(ctx, companydb.Domain{Company: holder, Name: d.Name})
		if deleted := errors.Is(err, store.ErrShopNotFound); !deleted && (err != nil || len(theirs) > 0) {
			return "taken", nil // a DNS failure does not take the domain from its holder
		}
		if err := ds.Store.Write(ctx, holder, func(tx *store.Tx) error { return companydb.DeactivateDomain(ctx, tx, d.Name, now) }); err != nil {
			return "", err
		}
	}
	if ds.Certificates != nil && !d.CertUntil.After(now) {
		return "", companydb.ProveDomain(ctx, ds.Store, d, now)
	}
	return ds.activate(ctx, d)
}

// activate makes a domain the shop's address, in place of another one.
func (ds *Domains) activate(ctx context.Context, d companydb.Domain) (fault string, err error) {
	before, err := companydb.ShopDomains(ctx, ds.Store.Shop(d.Company))
	if err != nil {
		return "", err
	}
	err = ds.Store.Write(ctx, d.Company, func(tx *store.Tx) error { return companydb.ActivateDomain(ctx, tx, d.Name, ds.Now()) })
	if errors.Is(err, companydb.ErrDomainTaken) {
		return "taken", nil
	}
	if err != nil {
		return "", err
	}
	replaced := slices.DeleteFunc(before, func(old companydb.Domain) bool { return old.Name == d.Name })
	return "", ds.removeCertificates(ctx, replaced)
}
