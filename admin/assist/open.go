package assist

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/assist"
	"vitrine/internal/store/sales"
)

// ErrLink refuses the link of a session that is not valid, or not any more.
var ErrLink = shop.Refuse(shop.NotFound, "SESSION_LINK_INVALID").When("the link of the checkout is not valid, the order was made, or the time for it has passed").WithStatus(410)

// Inside returns the endpoints that only the edge of this process calls.
func (a *Assist) Inside() []api.Endpoint {
	return []api.Endpoint{
		{Method: "POST", Path: "/inside/assist/open", Auth: api.Link, Contour: api.LiveOnly, Class: api.Write, Secret: true, SignsIn: true, Errors: api.Refuses(ErrLink), Do: api.Handle(a.open)},
	}
}

type openRequest struct {
	Session string `json:"session" len:"200" refuse:"SESSION_LINK_INVALID"`
}

// open gives a session to the browser that has its link: its cart, with everything that the platform
// has said about the buyer, is that of the browser from then on. A second browser takes it over.
func (a *Assist) open(ctx context.Context, c *api.Call, in openRequest) (none api.None, err error) {
	id, mac, _ := strings.Cut(in.Session, ".")
	if id == "" || !api.CheckLinks(ctx, a.Store, a.Sealer, c.Storefront)(mac, linkOf(id)) {
		return none, ErrLink
	}
	if err := c.CountForNetwork(); err != nil {
		return none, err
	}
	var s assist.Session
	err = a.Store.Write(ctx, c.Storefront, func(tx *store.Tx) error {
		if s, err = assist.LockByID(ctx, tx, id); err != nil {
			return err
		}
		switch {
		case s.State == assist.Completing && a.Now().Sub(s.UpdatedAt) < takeOver:
			return ErrBusy
		case s.State == assist.Completed, s.State == assist.Canceled, expired(s, a.Now()):
			return ErrLink
		case s.State == assist.HandedOff:
			return nil // the cart is the browser's already, and may have been changed in it
		}
		var said Input
		if err := json.Unmarshal(s.Input, &said); err != nil {
			return err
		}
		typed, err := said.typed()
		if err != nil {
			return err
		}
		if err := sales.SaveCheckoutInput(ctx, tx, s.Person, typed); err != nil {
			return err
		}
		_, err = assist.Move(ctx, tx, id, assist.HandedOff, a.Now().UTC(), s.State)
		return err
	})
	if err == assist.ErrSessionNotFound {
		err = ErrLink
	}
	if err != nil {
		return none, err
	}
	err = a.OpenSession(ctx, c, s.Person)
	if errors.Is(err, shop.ErrNotFound) {
		err = ErrLink // the guest has an account by now
	}
	return none, err
}

// typed returns the form of the shop's checkout as the platform has filled it.
func (in *Input) typed() (json.RawMessage, error) {
	contact := in.contact()
	form := map[string]any{
		"contact": contact, "comment": in.Comment, "delivery_option_id": in.Option, "delivery_point_id": in.Point, "payment_method": "",
	}
	if address := in.address(); address != nil {
		form["address"] = address
	}
	return json.Marshal(form)
}
