package letter

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"vitrine/internal/deliver"
	"vitrine/internal/mail"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	letterdb "vitrine/internal/store/letter"
)

const (
	senders       = 8 // connections to the mail server
	lease         = time.Minute
	pollInterval  = time.Second
	recordTimeout = 10 * time.Second
	maxAge        = 72 * time.Hour // a letter not accepted by then fails
	bouncePeriod  = 7 * 24 * time.Hour
)

// pauses are the delays before the next attempt to send a letter; the last one repeats.
var pauses = [...]time.Duration{
	15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour,
}

func pause(tries int) time.Duration { return pauses[min(tries, len(pauses)-1)] }

// Carrier returns the background loop that passes letters to the mail server. It is woken by
// letters queued in this process. It returns nil if there is no mail server.
func (ls *Letters) Carrier() *deliver.Loop[letterdb.Due] {
	if ls.Server == nil {
		return nil
	}
	lines := make([]*mail.Connection, senders)
	for i := range lines {
		lines[i] = ls.Server.Connection()
	}
	lastShop := shop.CompanyID(0)
	loop := &deliver.Loop[letterdb.Due]{
		Name: "letters", Workers: senders, PerWorker: 4, Batch: 4 * senders, Lease: lease, Interval: pollInterval,
		Claim: func(ctx context.Context, most int) (due []letterdb.Due, err error) {
			from := lastShop
			due, lastShop, err = letterdb.ClaimDue(ctx, ls.Store, from, ls.Now(), lease, most)
			if err == nil && len(due) < most && from > 0 { // end of the round over the shops; continue with the first one
				var more []letterdb.Due
				more, lastShop, err = letterdb.ClaimDue(ctx, ls.Store, 0, ls.Now(), lease, most-len(due))
				due = append(due, more...)
			}
			return due, err
		},
		Deliver: func(ctx context.Context, n int, l letterdb.Due) error { return ls.send(ctx, lines[n], l) },
		Idle:    func(n int) { lines[n].Close() },
	}
	ls.Store.OnLetters(loop.Wake)
	return loop
}

// send sends one letter to the server and records the result.
func (ls *Letters) send(ctx context.Context, line *mail.Connection, due letterdb.Due) error {
	l, created, err := ls.envelope(ctx, due)
	if errors.Is(err, letterdb.ErrNotFound) {
		return nil // the letter was deleted
	}
	if err == nil {
		err = line.Send(ctx, l)
	}
	// The result is recorded even if the process is asked to stop meanwhile.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	switch {
	case err == nil:
		return letterdb.NoteSent(ctx, ls.Store, due, ls.Now())
	case errors.Is(err, mail.ErrPermanent):
		if errors.Is(err, mail.ErrBounced) && due.Company != 0 {
			if err := letterdb.RecordBounce(ctx, ls.Store, due.Company, l.To, err.Error(), ls.Now()); err != nil {
				return err
			}
		}
		return letterdb.NoteFailed(ctx, ls.Store, due, err.Error(), nil)
	case errors.Is(err, mail.ErrTemporary):
		again := ls.Now().Add(pause(due.Tries))
		if again.After(created.Add(maxAge)) {
			return letterdb.NoteFailed(ctx, ls.Store, due, err.Error(), nil)
		}
		return letterdb.NoteFailed(ctx, ls.Store, due, err.Error(), &again)
	}
	return err // it is claimed again once the lease has expired
}

// checkPace returns mail.ErrPermanent if a letter exceeds the limits of its buyer's address.
// Retries are not counted again.
func (ls *Letters) checkPace(ctx context.Context, due letterdb.Due, l letterdb.ShopLetter) error {
	if !strings.HasSuffix(l.Name, store.ToBuyer) || due.Tries > 0 {
		return nil
	}
	within, err := letterdb.CountBuyerLetter(ctx, ls.Store, l.To, l.Name, ls.Now())
	if err == nil && !within {
		err = fmt.Errorf("%w: too many letters of this kind to this address", mail.ErrPermanent)
	}
	return err
}

// envelope renders a letter for the server and returns when the letter was created. The error is
// mail.ErrPermanent if the letter has expired or its address is known to bounce. Letters of the
// platform ignore bounces, because their recipient has just requested a code.
func (ls *Letters) envelope(ctx context.Context, due letterdb.Due) (out mail.Letter, created time.Time, err error) {
	if due.Company == 0 {
		l, err := letterdb.PlatformLetter(ctx, ls.Store, due.ID)
		out = mail.Letter{
			ID: fmt.Sprintf("platform.%d@%s", due.ID, ls.host()), Date: l.CreatedAt, From: ls.From, To: l.To, Subject: l.Subject, Text: l.Text,
		}
		if err == nil {
			out.HTML, err = plainPage(l.Subject, l.Text)
		}
		if err == nil && ls.Now().After(l.ExpiresAt) {
			err = fmt.Errorf("%w: its content has expired", mail.ErrPermanent)
		}
		return out, l.CreatedAt, err
	}
	l, bounced, err := letterdb.Outgoing(ctx, ls.Store, due, ls.Now().Add(-bouncePeriod))
	switch {
	case err != nil:
		return out, created, err
	case ls.Now().Sub(l.CreatedAt) > maxAge:
		return out, created, fmt.Errorf("%w: not accepted by a mail server for three days", mail.ErrPermanent)
	case bounced != "":
		return out, created, fmt.Errorf("%w: not sent, because an earlier letter bounced (%s)", mail.ErrPermanent, bounced)
	}
	s, err := ls.shopContextOf(ctx, due.Company)
	if err == nil {
		l, err = ls.rendered(ctx, &s, l, true)
	}
	if err == nil && l.Subject == nil {
		err = fmt.Errorf("%w: %s", mail.ErrPermanent, l.Error)
	}
	if err != nil {
		return out, created, err
	}
	out = mail.Letter{
		ID:   fmt.Sprintf("%d.%s.%s.%d@%s", due.Company, l.Name, url.PathEscape(l.Object), l.Round, ls.host()),
		Date: l.CreatedAt, From: ls.From, FromName: s.settings.Letters.FromName, ReplyTo: s.settings.Letters.ReplyTo, To: l.To,
		Subject: *l.Subject, Text: *l.Text, HTML: *l.HTML,
	}
	if out.FromName == "" {
		out.FromName = s.info.Name
	}
	if out.ReplyTo == "" {
		out.ReplyTo = s.settings.Contacts.Email
	}
	if out.Unsubscribe, err = ls.unsubscribe(ctx, &s, l); err != nil {
		return out, l.CreatedAt, err
	}
	out.Signer, err = ls.signer(ctx, &s)
	if out.Signer != nil {
		out.From = "shop@" + out.Signer.Domain
	}
	if err == nil {
		err = ls.checkPace(ctx, due, l)
	}
	return out, l.CreatedAt, err
}

// host returns the platform's host, for Message-IDs.
func (ls *Letters) host() string { return ls.From[strings.LastIndexByte(ls.From, '@')+1:] }

// signer returns the DKIM signer of the shop's domain, or nil if the domain does not publish its
// key; the letter is then sent from the platform's address.
func (ls *Letters) signer(ctx context.Context, s *shopContext) (*mail.Signer, error) {
	if s.info.Domain == "" {
		return nil, nil
	}
	d, found, err := letterdb.GetDomain(ctx, ls.Store.Shop(s.info.ID))
	if err != nil || !found || d.VerifiedAt == nil || d.Domain != s.info.Domain {
		return nil, err
	}
	key, err := ls.openKey(s.info.ID, d)
	return &mail.Signer{Domain: d.Domain, Selector: d.Selector, Key: crypto.Signer(key)}, err
}
