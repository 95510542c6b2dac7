package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/budget"
	"vitrine/internal/hook"
	"vitrine/internal/outbound"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	webhookdb "vitrine/internal/store/webhook"
)

// message is what is sent once.
type message struct {
	company shop.CompanyID
	webhook shop.WebhookID
	url     string
	event   string
	eventID string
	body    []byte
	frozen  string   // the secret of X-Service-Signature
	secrets []string // those of webhook-signature

	// Of a delivery; a ping has none of these.
	delivery shop.WebhookDeliveryID
	attempt  int
	sequence int64
}

func (m message) headers(now time.Time) map[string]string {
	id := fmt.Sprintf("msg_%s_%d", m.eventID, m.webhook)
	h := map[string]string{
		"Content-Type":        "application/json",
		"X-Service-Event":     m.event,
		"X-Service-Event-Id":  m.eventID,
		"X-Service-Timestamp": now.UTC().Format(time.RFC3339),
		"X-Service-Signature": hook.Sign(m.frozen, m.body),
		"webhook-id":          id,
		"webhook-timestamp":   strconv.FormatInt(now.Unix(), 10),
		"webhook-signature":   hook.SignStandard(m.secrets, id, now, m.body),
	}
	if m.delivery != 0 {
		h["X-Service-Delivery-Id"] = m.delivery.String()
		h["X-Service-Attempt"] = strconv.Itoa(m.attempt)
		h["X-Service-Sequence"] = strconv.FormatInt(m.sequence, 10)
	}
	return h
}

// answer is what a receiver said.
type answer struct {
	status int    // 0: nobody answered
	why    string // empty: it was taken
	never  bool   // it wants no other attempt
	later  time.Duration
}

// The status decides; of the body so much is read that the connection can be used
// again, unless that takes long.
const (
	readOfBody = 4 << 10
	readTime   = 200 * time.Millisecond
)

// send makes one attempt. Errors are told by their kind alone: what they say of a network
// is not for who names an address in it.
func (ws *Webhooks) send(ctx context.Context, m message) answer {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	now := ws.Now()
	got, err := ws.Client.Do(ctx, outbound.Request{Method: "POST", URL: m.url, Header: m.headers(now), Body: m.body, MaxBody: 1 << 62})
	if err != nil {
		return answer{why: kind(err)}
	}
	defer time.AfterFunc(readTime, cancel).Stop()
	_, _ = io.ReadFull(got.Body, make([]byte, readOfBody)) //nolint:errcheck // the answer is known
	_ = got.Body.Close()                                   //nolint:errcheck // as above
	a := answer{status: got.Status}
	if got.Status/100 == 2 {
		return a
	}
	a.why = "status " + strconv.Itoa(got.Status)
	if got.Header.Get("webhook-delivery") == "abort-message" {
		a.never, a.why = true, a.why+", and the receiver wants no other attempt"
	}
	a.later = retryAfter(got.Header.Get("Retry-After"), now)
	return a
}

// httpTime is how headers spell a moment (RFC 9110, 5.6.7).
const httpTime = "Mon, 02 Jan 2006 15:04:05 GMT"

// retryAfter reads the header of this name: seconds or a date.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := time.Parse(httpTime, text); err == nil {
		return at.Sub(now)
	}
	return 0
}

// kind names what went wrong where nobody answered.
func kind(err error) string {
	var name *net.DNSError
	var late net.Error
	var alert tls.AlertError
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, outbound.ErrNotAllowed):
		return "the address is not on the public internet; VITRINE_OUTBOUND_ALLOW is where the operator allows others"
	case errors.As(err, &name) && !name.IsTimeout:
		return "the name of the host is not known"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &late) && late.Timeout(), strings.Contains(err.Error(), "TLS handshake timeout"):
		return "no answer in time"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	case errors.As(err, &certificate), errors.As(err, &alert), errors.As(err, &record), strings.Contains(err.Error(), "tls: "), strings.Contains(err.Error(), "HTTP response to HTTPS"):
		return "TLS failed"
	}
	return "the connection broke"
}

type pinged struct {
	Status int    `json:"status" doc:"of the receiver; 0: nobody answered"`
	Error  string `json:"error" doc:"empty: it was taken"`
}

// ping sends webhook.test once and waits for the answer.
func (ws *Webhooks) ping(ctx context.Context, c *api.Call, in oneRequest) (out api.Result[pinged], err error) {
	if err := own(c); err != nil {
		return out, err
	}
	r := ws.Store.Shop(c.Company)
	w, err := webhookdb.Get(ctx, r, in.ID)
	if err == nil {
		err = mayHear(c, w.Events)
	}
	if err != nil {
		return out, err
	}
	if _, wait := ws.pings.Take(c.Company); wait > 0 {
		return out, shop.ErrRateLimited.With("10 test pings a minute").RetryAfter(budget.Seconds(wait))
	}
	sealed, err := webhookdb.Secrets(ctx, r, w.ID, ws.Now())
	if err != nil {
		return out, err
	}
	secrets, err := ws.opened(c.Company, w.ID, sealed)
	if err != nil {
		return out, err
	}
	eventID := uuid.NewString()
	body := hook.Envelope(hook.Test, eventID, ws.Now(), []byte(`{"webhook_id":"`+w.ID.String()+`"}`))
	a := ws.send(ctx, message{
		company: c.Company, webhook: w.ID, url: w.URL, event: hook.Test, eventID: eventID, body: body, frozen: secrets[0], secrets: secrets,
	})
	out = api.Wrap(pinged{a.status, a.why})
	return out, ws.Store.Write(ctx, c.Company, func(tx *store.Tx) error { return webhookdb.Pinged(ctx, tx, w.ID, a.status, a.why) })
}
