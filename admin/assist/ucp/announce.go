package ucp

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/assist"
	"vitrine/internal/httpsig"
)

// Announce returns the request that tells a platform of an order: its headers, signed by the shop, and
// its body. id is the same in each attempt.
func Announce(ctx context.Context, keys *assist.Keys, o *assist.Ordered, id, to string, now time.Time) (header map[string]string, body []byte, err error) {
	if body, err = api.EncodeJSON(orderOf(o)); err != nil {
		return nil, nil, err
	}
	at, err := url.Parse(to)
	if err != nil {
		return nil, nil, err
	}
	header = map[string]string{
		"Content-Type": "application/json", "UCP-Agent": `profile="` + o.Origin + `/.well-known/ucp"`,
		"Webhook-Id": id, "Webhook-Timestamp": strconv.FormatInt(now.Unix(), 10), "Idempotency-Key": id,
	}
	signature, err := keys.Sign(ctx, o.Order.Company, httpsig.Message{
		Method: "POST", Scheme: at.Scheme, Authority: at.Host, Path: at.EscapedPath(), Query: at.RawQuery, Header: httpsig.Headers(header), Body: body,
	})
	for name, value := range signature {
		header[name] = value
	}
	return header, body, err
}
