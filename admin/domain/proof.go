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

// The rhythm of looks (CONTRACT, "Platform").
const (
	between   = 5 * time.Second // two looks of a GET at least
	soon      = 10 * time.Second
	quickFor  = 10 * time.Minute
	later     = 5 * time.Minute
	lookFor   = 7 * 24 * time.Hour
	atOnce    = 16               // looks of a worker
	lookBatch = 64               // domains of one claim
	lease     = 30 * time.Second // longer than a look takes: four questions of 5 s at most
	tick      = 2 * time.Second
)

// faultTexts say why a record that is there does not suffice, or that nobody knows.
var faultTexts = map[string]string{
	"":           "",
	"unanswered": "the domain's DNS did not answer",
	"contested":  "another shop names this domain too, so only the TXT record proves it",
	"taken":      "another shop has this domain, and its record is still in the DNS",
}

// text is what the TXT record says: 32 characters of this shop and this domain.
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

// Prover looks for the proofs that are awaited: the work of a worker.
func (ds *Domains) Prover() *deliver.Loop[companydb.Domain] {
	return &deliver.Loop[companydb.Domain]{
		What: "domains", Workers: atOnce, Ahead: 1, Batch: lookBatch, Lease: lease, Every: tick,
		Claim: func(ctx context.Context, most int) ([]companydb.Domain, error) {
			now := ds.Now()
			return companydb.DueDomains(ctx, ds.Store, now, now.Add(-lookFor), now.Add(-quickFor), soon, later, most)
		},
		Do: func(ctx context.Context, _ int, d companydb.Domain) error { return ds.look(ctx, d) },
	}
}

// look notes which records of a domain are there, and makes a proven one the address.
func (ds *Domains) look(ctx context.Context, d companydb.Domain) error {
	seen, err := ds.seen(ctx, d)
	d.Seen, d.Fault = seen, ""
	if err != nil {
		d.Fault = "unanswered"
	}
	if len(seen) > 0 && !d.Active {
		if d.Fault, err = ds.activate(ctx, d); err != nil {
			return err
		}
	}
	return companydb.NoteDomainLook(ctx, ds.Store, d)
}

// seen are the types of the records that name the shop.
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

// activate makes a domain the address of the shop that its DNS names, or says why not.
func (ds *Domains) activate(ctx context.Context, d companydb.Domain) (fault string, err error) {
	now := ds.Now()
	holder, named, err := companydb.DomainRivals(ctx, ds.Store, d, now.Add(-lookFor))
	if err != nil {
		return "", err
	}
	if named && !slices.Contains(d.Seen, "TXT") {
		return "contested", nil
	}
	if holder != 0 {
		theirs, err := ds.seen(ctx, companydb.Domain{Company: holder, Name: d.Name})
		if err != nil || len(theirs) > 0 {
			return "taken", nil // a DNS that does not answer takes nothing from anybody
		}
		if err := ds.Store.Write(ctx, holder, func(tx *store.Tx) error { return companydb.LoseDomain(ctx, tx, d.Name, now) }); err != nil {
			return "", err
		}
	}
	err = ds.Store.Write(ctx, d.Company, func(tx *store.Tx) error { return companydb.ActivateDomain(ctx, tx, d.Name, now) })
	if errors.Is(err, companydb.ErrDomainTaken) {
		return "taken", nil
	}
	return "", err
}
