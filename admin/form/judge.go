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

// Signals that distinguish spam from leads without third parties:
//
//	trap    a hidden field was filled in
//	early   the page was shown less than two seconds ago
//	token   the page's token is invalid, or was used before
//	again   the same content was sent with the form within an hour
//	flood   many leads arrive, and this one has no proof of work
//
// A lead without a token, from a program or a page without scripts, is judged only by the last
// two. If a form gets more than its limit of leads, or a network sends more than its share, the
// page's script is asked for a proof of work (errProof). Leads with a proof are accepted up to a
// separate limit. A flood therefore does not close a form to human visitors, and it is expensive
// for its sender.

// errProof asks a page's script for a proof: a text such that the SHA-256 of the token, a colon
// and the text begins with as many zero bits as the field `bits` requires.
var errProof = shop.Refuse(shop.Aborted, "FORM_PROOF_REQUIRED").When("many leads are arriving; repeat the request with proof, a number n such that the SHA-256 of token:n begins with `bits` zero bits").
	WithField("bits", proofBits)

const (
	leadsPerMinute   = 60  // per form and minute, without a proof
	leadsPerHour     = 600 // per form and hour, without a proof
	leadsPerNetwork  = 10  // per form, network and minute, without a proof
	provenPerNetwork = 30  // in addition, with a proof
	provenPerMinute  = 300 // per form and minute, with a proof
	spamPerMinute    = 300 // per form and minute, kept as spam
	repeatWindow     = time.Hour
	minFillTime      = 2 * time.Second
	proofBits        = 16
	maxProof         = 20 // characters
)

// suspicion is the reason for which a lead is kept as spam; empty if it is not spam.
type suspicion string

const (
	trapped suspicion = "trap"
	early   suspicion = "early"
	forged  suspicion = "token"
	again   suspicion = "again"
	flood   suspicion = "flood"
)

// judgePage judges a lead by its trap field and its token.
func (fs *Forms) judgePage(ctx context.Context, company shop.CompanyID, in *leadRequest) (suspicion, error) {
	if in.Trap != "" {
		return trapped, nil
	}
	if in.Token == "" {
		return "", nil
	}
	at, ok, err := fs.readToken(ctx, formKey{company, in.Form}, in.Token)
	age := fs.Now().Sub(at)
	switch {
	case err != nil:
		return "", err
	case !ok:
		return forged, nil
	case age > tokenValid: // the page has been open for more than a day
		in.Token = ""
	case age < minFillTime:
		return early, nil
	}
	return "", nil
}

// proven reports whether a lead carries a valid proof of work.
func (in *leadRequest) proven() bool {
	if in.Token == "" || in.Proof == nil || *in.Proof == "" || len(*in.Proof) > maxProof {
		return false
	}
	sum := sha256.Sum256([]byte(in.Token + ":" + *in.Proof))
	return zeroBits(sum[:]) >= proofBits
}

// zeroBits returns the number of leading zero bits of a hash.
func zeroBits(sum []byte) (n int) {
	for _, b := range sum {
		n += bits.LeadingZeros8(b)
		if b != 0 {
			break
		}
	}
	return n
}

// canProve reports whether the sender is a script that can compute a proof and has not yet done so.
func (in *leadRequest) canProve() bool { return in.Token != "" && in.Proof != nil && *in.Proof == "" }

// judgeHistory judges a lead by earlier leads, in the transaction that locks its form.
func (fs *Forms) judgeHistory(ctx context.Context, tx *store.Tx, in *leadRequest, l formdb.Lead) (suspicion, error) {
	same, used, err := formdb.LeadSentBefore(ctx, tx.Reader, l, fs.Now().Add(-repeatWindow))
	switch {
	case err != nil:
		return "", err
	case used:
		return forged, nil
	case same:
		return again, nil
	}
	minute, err := formdb.LeadsSince(ctx, tx.Reader, l.Form, fs.Now().Add(-time.Minute), provenPerMinute)
	if err != nil {
		return "", err
	}
	if in.proven() {
		if minute >= provenPerMinute {
			return flood, nil
		}
		return "", nil
	}
	hour := minute
	if minute < leadsPerMinute {
		if hour, err = formdb.LeadsSince(ctx, tx.Reader, l.Form, fs.Now().Add(-time.Hour), leadsPerHour); err != nil {
			return "", err
		}
	}
	switch {
	case minute < leadsPerMinute && hour < leadsPerHour:
		return "", nil
	case in.canProve():
		return "", errProof
	}
	return flood, nil
}

// fingerprint returns a fingerprint that is equal for leads of a form with the same content. If a
// lead contains only answers that different people are likely to share, such as a ticked box, the
// fingerprint includes the network.
func fingerprint(form shop.FormID, fields []lead.Field, values map[string]string, from netip.Prefix) string {
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
