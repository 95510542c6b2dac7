package pay

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"testing"
	"time"
)

// signatureHeader returns the header of a request with a signature.
func signatureHeader(signature string) Header {
	return func(name string) string {
		if name != "Stripe-Signature" {
			return ""
		}
		return signature
	}
}

func signed(secret, body string, at time.Time) Header {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
	return signatureHeader(fmt.Sprintf("t=%d,v1=00,v1=%s,v0=x", at.Unix(), hex.EncodeToString(mac.Sum(nil))))
}

// A notification that Stripe did not sign, or signed too long ago, is rejected.
func TestNotificationsOfStripe(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	p := Stripe(nil, "", Secrets{WebhookSecret: "whsec_9"})
	const body = `{"type":"checkout.session.completed","data":{"object":{"id":"cs_1","object":"checkout.session","amount_total":1}}}`
	const other = `{"data":{"object":{"id":"ch_1","object":"charge"}}}`
	for name, c := range map[string]struct {
		header Header
		body   string
		ref    string
		err    error
	}{
		"signed":            {signed("whsec_9", body, now), body, "cs_1", nil},
		"four minutes old":  {signed("whsec_9", body, now.Add(-4*time.Minute)), body, "cs_1", nil},
		"of something else": {signed("whsec_9", other, now), other, "", nil},
		"six minutes old":   {signed("whsec_9", body, now.Add(-6*time.Minute)), body, "", ErrForged},
		"from the future":   {signed("whsec_9", body, now.Add(6*time.Minute)), body, "", ErrForged},
		"by another secret": {signed("whsec_8", body, now), body, "", ErrForged},
		"another body":      {signed("whsec_9", body, now), other, "", ErrForged},
		"without a header":  {signatureHeader(""), body, "", ErrForged},
		"an empty header":   {signatureHeader("t=,v1="), body, "", ErrForged},
		"no JSON":           {signed("whsec_9", "{", now), "{", "", ErrForged},
	} {
		notice, err := p.Notify(c.header, []byte(c.body), now)
		if notice.Ref != c.ref || !errors.Is(err, c.err) {
			t.Errorf("%s: %+v, %v", name, notice, err)
		}
	}
	const refunded = `{"type":"charge.refunded","data":{"object":{"id":"ch_1","object":"charge","metadata":{"payment_id":"17"}}}}`
	if n, err := p.Notify(signed("whsec_9", refunded, now), []byte(refunded), now); err != nil || n != (Notification{Payment: 17, Signed: true}) {
		t.Errorf("a charge that was refunded: %+v, %v", n, err)
	}
	for text, want := range map[string]Notification{
		`{"data":{"object":{"id":"pi_1","object":"payment_intent","metadata":{"charge_id":"c"}}}}`:                            {Ref: "pi_1", Charge: "c", Signed: true},
		`{"data":{"object":{"id":"ch_1","object":"charge","payment_intent":"pi_1","metadata":{"charge_id":"c"}}}}`:            {Ref: "pi_1", Charge: "c", Signed: true},
		`{"data":{"object":{"id":"re_1","object":"refund","payment_intent":{"id":"pi_1"},"metadata":{}}}}`:                    {Ref: "pi_1", Signed: true},
		`{"data":{"object":{"id":"cs_1","object":"checkout.session","payment_intent":"pi_1","metadata":{"payment_id":"3"}}}}`: {Ref: "cs_1", Payment: 3, Signed: true},
	} {
		if n, err := p.Notify(signed("whsec_9", text, now), []byte(text), now); err != nil || n != want {
			t.Errorf("%s: %+v, %v", text, n, err)
		}
	}
	if _, err := Stripe(nil, "", Secrets{}).Notify(signed("", body, now), []byte(body), now); !errors.Is(err, ErrForged) {
		t.Errorf("without a secret: %v", err)
	}
}

func TestNotificationsOfYooKassa(t *testing.T) {
	t.Parallel()
	p := YooKassa(nil, "", Secrets{})
	for body, want := range map[string]string{
		`{"type":"notification","event":"payment.succeeded","object":{"id":"2d-1","status":"succeeded"}}`: "2d-1",
		`{"type":"notification","event":"refund.succeeded","object":{"id":"rf","payment_id":"2d-1"}}`:     "2d-1",
	} {
		if notice, err := p.Notify(nil, []byte(body), time.Time{}); notice.Ref != want || notice.Signed || err != nil {
			t.Errorf("%s: %+v, %v", body, notice, err)
		}
	}
	for _, body := range []string{``, `{}`, `[]`, `{"type":"x","object":{"id":"1"}}`} {
		if _, err := p.Notify(nil, []byte(body), time.Time{}); !errors.Is(err, ErrForged) {
			t.Errorf("%s: %v", body, err)
		}
	}
}
