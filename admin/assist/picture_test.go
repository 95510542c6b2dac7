package assist_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// A picture has the same address in the catalog, in the sessions of both faces and in orders.
func TestAPictureHasOneAddress(t *testing.T) {
	t.Parallel()
	b := openBazaar(t)
	owner := b.Session(b.OwnerID)
	s := &offering{bazaar: b, token: b.Result("POST", "/v1/shop/assistants/tokens", owner, m{"name": "Chat"})["token"].(string)}
	b.OK("PUT", "/v1/shop/payment-methods/manual", owner, m{"title": "Cash", "is_active": true})
	f := media.File{
		ID: uuid.New(), UploadID: uuid.New(), Section: "content", Type: "image", Name: "a.webp", MIME: "image/webp", SHA256: fmt.Sprintf("%064d", 1), Size: 1, CreatedAt: time.Unix(0, 0),
	}
	f.Path = "content/" + f.ID.String() + ".webp"
	err := b.Store.Write(t.Context(), b.Shop.ID, func(tx *store.Tx) error {
		ctx := context.Background()
		if err := media.RequestFile(ctx, tx, &f, []byte(f.ID.String())); err != nil {
			return err
		}
		return media.StoreFile(ctx, tx, &f, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	tea := fmt.Sprint(b.Result("POST", "/products", b.Owner, m{"item": m{"name": "Tea", "price": m{"price": 7}, "is_published": true, "gallery": l{m{"id": f.ID.String()}}}})["id"])
	buyer := m{"first_name": "Ann", "email": "ann@people.test", "phone_number": "+4930123456"}
	_, found := s.call("POST", "/ucp/catalog/lookup", m{"ids": l{tea}})
	_, ucp := s.call("POST", "/ucp/checkout-sessions", m{"line_items": l{m{"item": m{"id": tea}, "quantity": 1}}, "buyer": buyer})
	_, acp := s.call("POST", "/acp/checkout_sessions", m{"line_items": l{m{"id": tea}}, "currency": "eur", "capabilities": m{}, "buyer": buyer})
	_, done := s.call("POST", fmt.Sprint("/ucp/checkout-sessions/", ucp["id"], "/complete"), m{"payment": m{"instruments": l{m{"id": "i", "handler_id": "manual", "type": "offline"}}}})
	ordered := s.told(fmt.Sprint(done["order"].(m)["id"]))
	item := func(answer m) any { return answer["line_items"].(l)[0].(m)["item"].(m)["image_url"] }
	want := "http://tea.shops.test/files/" + f.Path
	for what, got := range map[string]any{
		"catalog": found["products"].(l)[0].(m)["media"].(l)[0].(m)["url"], "UCP": item(ucp), "UCP, completed": item(done), "order": item(ordered),
		"ACP": strings.Trim(fmt.Sprint(acp["line_items"].(l)[0].(m)["images"]), "[]"),
	} {
		if got != want {
			t.Errorf("%s: %v, want %s", what, got, want)
		}
	}
}
