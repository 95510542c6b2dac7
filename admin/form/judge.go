package form

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"math/bits"
	"net/netip"
	"slices"
	"strings"
	"time"

	"vitrine/compile/lead"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	formdb "vitrine/internal/store/form"
)

// What tells spam from leads, without third parties:
//
//	trap    a field that nobody sees was filled in
//	early   the page was shown less than two seconds ago
//	token   the page's token is none of ours, or was used before
//	again   the same was sent with the form within an hour
//	flood   many send, and this sender did not work for it
//
// A lead without a token, of a program or a page without a script, is judged by the
// last two alone. Where a form gets more than so many leads, or one network sends more
// than its share, the page's script is asked for a proof of work (errProof): who has
// one comes through, within a bound of its own. So a flood closes a form to nobody who
// stands before it, and costs whoever sends it.

// errProof asks a page's script for a proof: a text that, behind the token and a colon,
// has a SHA-256 of so many leading zero bits, as `bits` says.
var errProof = shop.Refuse(shop.Aborted, "FORM_PROOF_REQUIRED").When("many leads come in; send the same again with proof, a number n whose SHA-256 of token:n begins with `bits` zero bits").
	WithField("bits", proofBits)

const (
	leadsAtOnce  = 60  // of one form in a minute, without a proof
	leadsAnHour  = 600 // of one form in an hour, without a proof
	leadsOfOne   = 10  // of one form and network in a minute, without a proof
	provenOfOne  = 30  // of these, with a proof, beyond that
	provenAtOnce = 300 // of one form in a minute, with a proof
	floodAtOnce  = 300 // of one form in a minute, of those that are kept as spam
	againWithin  = time.Hour
	shownAtLeast = 2 * time.Second
	proofBits    = 16
	maxProof     = 20 // characters
)

// suspicion is why a lead is kept as spam; empty: it is none.
type suspicion string

const (
	trapped suspicion = "trap"
	early   suspicion = "early"
	forged  suspicion = "token"
	again   suspicion = "again"
	flood   suspicion = "flood"
)

// shown judges what the page of a lead says by itself.
func (fs *Forms) shown(ctx context.Context, company shop.CompanyID, in *leadRequest) (suspicion, error) {
	if in.Trap != "" {
		return trapped, nil
	}
	if in.Token == "" {
		return "", nil
	}
	at, ok, err := fs.readToken(ctx, ofForm{company, in.Form}, in.Token)
	age := fs.Now().Sub(at)
	switch {
	case err != nil:
		return "", err
	case !ok:
		return forged, nil
	case age > tokenValid: // a page that stood open since yesterday
		in.Token = ""
	case age < shownAtLeast:
		return early, nil
	}
	return "", nil
}

// proven reports whether a lead carries a proof.
func (in *leadRequest) proven() bool {
	if in.Token == "" || in.Proof == nil || *in.Proof == "" || len(*in.Proof) > maxProof {
		return false
	}
	sum := sha256.Sum256([]byte(in.Token + ":" + *in.Proof))
	return zeroBits(sum[:]) >= proofBits
}

// zeroBits is how many zero bits a hash begins with.
func zeroBits(sum []byte) (n int) {
	for _, b := range sum {
		n += bits.LeadingZeros8(b)
		if b != 0 {
			break
		}
	}
	return n
}

// asks reports whether the sender is a script that can work a proof out and has not yet.
func (in *leadRequest) asks() bool { return in.Token != "" && in.Proof != nil && *in.Proof == "" }

// weigh judges a lead by what came before it, in the transaction that holds its form.
func (fs *Forms) weigh(ctx context.Context, tx *store.Tx, in *leadRequest, l formdb.Lead) (suspicion, error) {
	same, used, err := formdb.LeadSentBefore(ctx, tx.Reader, l, fs.Now().Add(-againWithin))
	switch {
	case err != nil:
		return "", err
	case used:
		return forged, nil
	case same:
		return again, nil
	}
	minute, err := formdb.LeadsSince(ctx, tx.Reader, l.Form, fs.Now().Add(-time.Minute), provenAtOnce)
	if err != nil {
		return "", err
	}
	if in.proven() {
		if minute >= provenAtOnce {
			return flood, nil
		}
		return "", nil
	}
	hour := minute
	if minute < leadsAtOnce {
		if hour, err = formdb.LeadsSince(ctx, tx.Reader, l.Form, fs.Now().Add(-time.Hour), leadsAnHour); err != nil {
			return "", err
		}
	}
	switch {
	case minute < leadsAtOnce && hour < leadsAnHour:
		return "", nil
	case in.asks():
		return "", errProof
	}
	return flood, nil
}

// printOf is the same for leads of a form that say the same. Answers that two people may
// well give alike, such as a tick, count only from one network.
func printOf(form shop.FormID, fields []lead.Field, values map[string]string, from netip.Prefix) string {
	text, own := form.String()+"\x00", false
	for _, name := range slices.Sorted(maps.Keys(values)) {
		text += name + "\x00" + strings.ToLower(values[name]) + "\x00"
	}
	for _, f := range fields {
		switch f.Type {
		case lead.Text, lead.Textarea, lead.Email, lead.Phone, lead.File:
			own = own || values[f.Name] != ""
		}
	}
	if !own {
		text += from.String()
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}
