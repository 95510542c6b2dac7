package domain

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/deliver"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
)

// Attempts to get a certificate. Authorities limit failures, commonly to five an hour for a host.
const (
	certLease   = 3 * time.Minute // longer than an attempt
	certTime    = 2 * time.Minute
	certBatch   = 8
	certRetry   = 4 * time.Minute // in the first minutes, in which the DNS is still being set up
	certPatient = 30 * time.Minute
	certOwn     = time.Minute      // after a failure of the database, without which nothing is ordered
	certCheck   = 30 * time.Second // between the checks of a certificate at the soonest
)

// Issuer returns the background loop that gets and renews the certificates of domains, nil if the
// operator does.
func (ds *Domains) Issuer() *deliver.Loop[companydb.Domain] {
	if ds.Certificates == nil {
		return nil
	}
	return &deliver.Loop[companydb.Domain]{
		Name: "certificates", Workers: certBatch, PerWorker: 1, Batch: certBatch, Lease: certLease, Interval: tick,
		Claim: func(ctx context.Context, most int) ([]companydb.Domain, error) {
			now := ds.Now()
			return companydb.DueCertificates(ctx, ds.Store, now, now.Add(-checkPeriod), certLease, most)
		},
		Deliver: func(ctx context.Context, _ int, d companydb.Domain) error { return ds.certify(ctx, d) },
	}
}

// certify gets or renews the certificate of a domain. A domain that was waiting for it becomes the
// address of its shop.
func (ds *Domains) certify(ctx context.Context, d companydb.Domain) error {
	limited, cancel := context.WithTimeout(ctx, certTime)
	defer cancel()
	until, renew, err := ds.Certificates.Obtain(limited, d.Name)
	now := ds.Now()
	if err != nil {
		d.CertProblem = certificateFault(err)
		next := certPatient
		switch {
		case store.IsUnavailable(err):
			d.CertProblem, next = certUnstored, certOwn
		case now.Sub(d.RequestedAt) < quickPeriod:
			next = certRetry
		}
		return errors.Join(err, companydb.RecordCertificate(ctx, ds.Store, d, now.Add(next)))
	}
	d.CertUntil, d.CertProblem = until, ""
	if renew.Before(now.Add(certCheck)) {
		renew = now.Add(certCheck)
	}
	next := renew
	if !d.Active { // its activation may fail
		next = now.Add(certOwn)
	}
	if err := companydb.RecordCertificate(ctx, ds.Store, d, next); err != nil || d.Active {
		return err
	}
	switch d.Problem, err = ds.activate(ctx, d); {
	case err != nil:
		return err
	case d.Problem == "":
		return companydb.RecordCertificate(ctx, ds.Store, d, renew)
	}
	return companydb.UnproveDomain(ctx, ds.Store, d)
}

const (
	maxFault     = 300 // bytes
	certUnstored = "the platform cannot store certificates for now; it tries again every minute"
)

// certificateFault is the part of an authority's refusal that its reader can act on.
func certificateFault(err error) string {
	text := []rune("the certificate authority refused: " + err.Error())
	return string(text[:min(len(text), maxFault)])
}

// removeCertificates removes those of domains that a shop no longer has.
func (ds *Domains) removeCertificates(ctx context.Context, list []companydb.Domain) error {
	for _, d := range list {
		if ds.Certificates == nil || !d.Active && !d.Proven { // it may be another shop's
			continue
		}
		if err := ds.Certificates.Remove(ctx, d.Name); err != nil {
			return err
		}
	}
	return nil
}
