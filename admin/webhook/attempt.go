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

// message is the content of one attempt.
type message struct {
	company      shop.CompanyID
	webhook      shop.WebhookID
	url          string
	event        string
	eventID      string
	body         []byte
	queuedSecret string            // signs X-Service-Signature
	secrets      []string          // sign webhook-signature
	fields       map[string]string // the headers to a platform, in place of those of an event

	// Only for deliveries; a ping has none of these.
	delivery shop.WebhookDeliveryID
	attempt  int
	sequence int64
}

func (m message) headers(now time.Time) map[string]string {
	if m.fields != nil {
		return m.fields
	}
	id := fmt.Sprintf("msg_%s_%d", m.eventID, m.webhook)
	h := map[string]string{
		"Content-Type":        "application/json",
		"X-Service-Event":     m.event,
		"X-Service-Event-Id":  m.eventID,
		"X-Service-Timestamp": now.UTC().Format(time.RFC3339),
		"X-Service-Signature": hook.Sign(m.queuedSecret, m.body),
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

// answer is the result of an attempt.
type answer struct {
	status int    // 0: no response
	why    string // empty: accepted
	abort  bool   // the receiver asked for no further attempts
	delay  time.Duration
}

// The status decides. The body is read up to this limit so that the connection can be reused,
// unless that takes too long.
const (
	maxBodyRead     = 4 << 10
	bodyReadTimeout = 200 * time.Millisecond
)

// send makes one attempt. Errors are reported only by their kind, because their text may reveal
// details of the network to the owner of the subscription.
func (ws *Webhooks) send(ctx context.Context, m message) answer {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	now := ws.Now()
	got, err := ws.Client.Do(ctx, outbound.Request{Method: "POST", URL: m.url, Header: m.headers(now), Body: m.body, Secure: m.fields != nil, MaxBody: 1 << 62})
	if err != nil {
		return answer{why: errorText(err)}
	}
	defer time.AfterFunc(bodyReadTimeout, cancel).Stop()
	_, _ = io.ReadFull(got.Body, make([]byte, maxBodyRead)) //nolint:errcheck // the result is already known
	_ = got.Body.Close()                                    //nolint:errcheck // as above
	a := answer{status: got.Status}
	if got.Status/100 == 2 {
		return a
	}
	a.why = "status " + strconv.Itoa(got.Status)
	if got.Header.Get("webhook-delivery") == "abort-message" {
		a.abort, a.why = true, a.why+", and the receiver asked for no further attempts"
	}
	a.delay = retryAfter(got.Header.Get("Retry-After"), now)
	return a
}

// httpTime is the format of a time in headers (RFC 9110, 5.6.7).
const httpTime = "Mon, 02 Jan 2006 15:04:05 GMT"

// retryAfter parses a Retry-After header: seconds or a date.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := time.Parse(httpTime, text); err == nil {
		return at.Sub(now)
	}
	return 0
}

// errorText describes why there was no response.
func errorText(err error) string {
	var name *net.DNSError
	var late net.Error
	var alert tls.AlertError
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, outbound.ErrNotAllowed):
		return "the address is not on the public internet; the operator can allow others with VITRINE_OUTBOUND_ALLOW"
	case errors.As(err, &name) && !name.IsTimeout:
		return "the host name cannot be resolved"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &late) && late.Timeout(), strings.Contains(err.Error(), "TLS handshake timeout"):
		return "no response in time"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	case errors.As(err, &certificate), errors.As(err, &alert), errors.As(err, &record), strings.Contains(err.Error(), "tls: "), strings.Contains(err.Error(), "HTTP response to HTTPS"):
		return "TLS failed"
	}
	return "the connection broke"
}

type pinged struct {
	Status int    `json:"status" doc:"the receiver's status; 0: no response"`
	Error  string `json:"error" doc:"empty if the receiver accepted the ping"`
}

// ping sends webhook.test once and waits for the response.
func (ws *Webhooks) ping(ctx context.Context, c *api.Call, in oneRequest) (out api.Result[pinged], err error) {
	if err := requireMember(c); err != nil {
		return out, err
	}
	r := ws.Store.Shop(c.Company)
	w, err := webhookdb.Get(ctx, r, in.ID)
	if err == nil {
		err = maySubscribe(c, w.Events)
	}
	if err != nil {
		return out, err
	}
	if _, wait := ws.pings.Take(c.Company); wait > 0 {
		return out, shop.ErrRateLimited.With("at most 10 test pings a minute").RetryAfter(budget.Seconds(wait))
	}
	sealed, err := webhookdb.Secrets(ctx, r, w.ID, ws.Now())
	if err != nil {
		return out, err
	}
	secrets, err := ws.unseal(c.Company, w.ID, sealed)
	if err != nil {
		return out, err
	}
	eventID := uuid.NewString()
	body := hook.Envelope(hook.Test, eventID, ws.Now(), []byte(`{"webhook_id":"`+w.ID.String()+`"}`))
	a := ws.send(ctx, message{
		company: c.Company, webhook: w.ID, url: w.URL, event: hook.Test, eventID: eventID, body: body, queuedSecret: secrets[0], secrets: secrets,
	})
	out = api.Wrap(pinged{a.status, a.why})
	return out, ws.Store.Write(ctx, c.Company, func(tx *store.Tx) error { return webhookdb.RecordPing(ctx, tx, w.ID, a.status, a.why) })
}
