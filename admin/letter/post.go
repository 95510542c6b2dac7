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
	senders    = 8 // connections to the mail server
	lease      = time.Minute
	look       = time.Second
	noteTime   = 10 * time.Second
	keepFor    = 72 * time.Hour // after which a letter that nobody took is given up
	bouncedFor = 7 * 24 * time.Hour
)

// pauses are how long to wait before a letter is tried again; the last one repeats.
var pauses = [...]time.Duration{
	15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour,
}

func pause(tries int) time.Duration { return pauses[min(tries, len(pauses)-1)] }

// Carrier takes letters to the mail server: the work of a worker. It is woken by what
// this process queues. There is none where there is no server.
func (ls *Letters) Carrier() *deliver.Loop[letterdb.Due] {
	if ls.Server == nil {
		return nil
	}
	lines := make([]*mail.Line, senders)
	for i := range lines {
		lines[i] = ls.Server.Line()
	}
	behind := shop.CompanyID(0)
	loop := &deliver.Loop[letterdb.Due]{
		What: "letters", Workers: senders, Ahead: 4, Batch: 4 * senders, Lease: lease, Every: look,
		Claim: func(ctx context.Context, most int) (due []letterdb.Due, err error) {
			from := behind
			due, behind, err = letterdb.ClaimDue(ctx, ls.Store, from, ls.Now(), lease, most)
			if err == nil && len(due) < most && from > 0 { // the end of the row of shops; on from its beginning
				var more []letterdb.Due
				more, behind, err = letterdb.ClaimDue(ctx, ls.Store, 0, ls.Now(), lease, most-len(due))
				due = append(due, more...)
			}
			return due, err
		},
		Do:   func(ctx context.Context, n int, l letterdb.Due) error { return ls.carry(ctx, lines[n], l) },
		Idle: func(n int) { lines[n].Close() },
	}
	ls.Store.OnLetters(loop.Wake)
	return loop
}

// carry takes one letter to the server, and notes what became of it.
func (ls *Letters) carry(ctx context.Context, line *mail.Line, due letterdb.Due) error {
	l, created, err := ls.envelope(ctx, due)
	if errors.Is(err, letterdb.ErrNotFound) {
		return nil // it was removed
	}
	if err == nil {
		err = line.Send(ctx, l)
	}
	// What the server has is noted, though the process may be asked to end meanwhile.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
	defer cancel()
	switch {
	case err == nil:
		return letterdb.NoteSent(ctx, ls.Store, due, ls.Now())
	case errors.Is(err, mail.ErrNever):
		if errors.Is(err, mail.ErrBounced) && due.Company != 0 {
			if err := letterdb.Bounce(ctx, ls.Store, due.Company, l.To, err.Error(), ls.Now()); err != nil {
				return err
			}
		}
		return letterdb.NoteFailed(ctx, ls.Store, due, err.Error(), nil)
	case errors.Is(err, mail.ErrLater):
		again := ls.Now().Add(pause(due.Tries))
		if again.After(created.Add(keepFor)) {
			return letterdb.NoteFailed(ctx, ls.Store, due, err.Error(), nil)
		}
		return letterdb.NoteFailed(ctx, ls.Store, due, err.Error(), &again)
	}
	return err // it is claimed again when the lease is over
}

// pace is mail.ErrNever for a letter to a buyer that is one too many. One that is tried
// again was counted the first time.
func (ls *Letters) pace(ctx context.Context, due letterdb.Due, l letterdb.ShopLetter) error {
	if !strings.HasSuffix(l.Name, store.ToBuyer) || due.Tries > 0 {
		return nil
	}
	within, err := letterdb.Pace(ctx, ls.Store, l.To, l.Name, ls.Now())
	if err == nil && !within {
		err = fmt.Errorf("%w: this address gets too many letters of this kind", mail.ErrNever)
	}
	return err
}

// envelope is a letter as it goes to the server, and when it was written. It is
// mail.ErrNever for one that is too late, or whose address is known to bounce. Letters
// of the platform go to any: who asks for a code is there.
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
			err = fmt.Errorf("%w: what it tells is over", mail.ErrNever)
		}
		return out, l.CreatedAt, err
	}
	l, bounced, err := letterdb.Outgoing(ctx, ls.Store, due, ls.Now().Add(-bouncedFor))
	switch {
	case err != nil:
		return out, created, err
	case ls.Now().Sub(l.CreatedAt) > keepFor:
		return out, created, fmt.Errorf("%w: nobody took it for three days", mail.ErrNever)
	case bounced != "":
		return out, created, fmt.Errorf("%w: not tried, because an earlier letter came back (%s)", mail.ErrNever, bounced)
	}
	s, err := ls.sheetOf(ctx, due.Company)
	if err == nil {
		l, err = ls.worded(ctx, &s, l, true)
	}
	if err == nil && l.Subject == nil {
		err = fmt.Errorf("%w: %s", mail.ErrNever, l.Error)
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
	out.Signer, err = ls.signer(ctx, &s)
	if out.Signer != nil {
		out.From = "shop@" + out.Signer.Domain
	}
	if err == nil {
		err = ls.pace(ctx, due, l)
	}
	return out, l.CreatedAt, err
}

// host is the platform's, in Message-IDs.
func (ls *Letters) host() string { return ls.From[strings.LastIndexByte(ls.From, '@')+1:] }

// signer signs for the shop's domain, once that names the key; nil: the platform
// writes.
func (ls *Letters) signer(ctx context.Context, s *sheet) (*mail.Signer, error) {
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
