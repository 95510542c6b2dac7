package acp

import (
	"time"

	"vitrine/admin/api"
	"vitrine/admin/assist"
	"vitrine/internal/hook"
)

// orderEvent is what an assistant is told of an order: all of it, at each change.
type orderEvent struct {
	Type string `json:"type"`
	Data *order `json:"data"`
}

// Announce returns the request that tells an assistant of an order: its headers, signed with the secret
// that the assistant got with its token, and its body. id is the same in each attempt.
func Announce(secret string, o *assist.Ordered, id string, created bool, now time.Time) (header map[string]string, body []byte, err error) {
	e := orderEvent{"order_update", orderOf(o)}
	if created {
		e.Type = "order_create"
	}
	body, err = api.EncodeJSON(e)
	return map[string]string{
		"Content-Type": jsonType, "Merchant-Signature": hook.SignMerchant(secret, now, body), "Request-Id": id, "Timestamp": now.UTC().Format(time.RFC3339),
	}, body, err
}
