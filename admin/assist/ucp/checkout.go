package ucp

import (
	"context"
	"time"

	"vitrine/admin/assist"
	assistdb "vitrine/internal/store/assist"
)

// LineItem is goods of a cart or checkout.
type LineItem struct {
	ID       string  `json:"id"`
	Item     Item    `json:"item"`
	Quantity int64   `json:"quantity"`
	Totals   []Total `json:"totals"`
}

// Item is what a line sells.
type Item struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Price int64  `json:"price" doc:"of one unit before discounts, in minor units"`
	Image string `json:"image_url,omitempty"`
}

// Link is a page of the shop that the buyer should know.
type Link struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

// OrderMade is the order that a checkout led to.
type OrderMade struct {
	ID        string `json:"id"`
	Label     string `json:"label"`
	Permalink string `json:"permalink_url"`
}

// basket is what carts and checkouts have in common.
type basket struct {
	UCP       SessionMeta `json:"ucp"`
	ID        string      `json:"id"`
	Lines     []LineItem  `json:"line_items"`
	Buyer     *Buyer      `json:"buyer,omitempty"`
	Currency  string      `json:"currency"`
	Totals    []Total     `json:"totals"`
	Discounts *Discounts  `json:"discounts,omitempty"`
	Messages  []Message   `json:"messages,omitempty"`
	Links     []Link      `json:"links"`
	Expires   time.Time   `json:"expires_at"`
}

// SessionMeta is the protocol's part of the answer with a cart or checkout.
type SessionMeta struct {
	Meta
	Handlers map[string][]Handler `json:"payment_handlers,omitzero" doc:"of a checkout: how it can be paid"`
}

// Cart is a cart as it is answered.
type Cart struct{ basket }

// Checkout is a checkout as it is answered.
type Checkout struct {
	basket
	Status      string       `json:"status" enum:"incomplete,requires_escalation,ready_for_complete,complete_in_progress,completed,canceled"`
	Fulfillment *Fulfillment `json:"fulfillment,omitempty"`
	ContinueURL string       `json:"continue_url,omitempty" doc:"opens the shop's checkout with everything filled in"`
	Order       *OrderMade   `json:"order,omitempty"`
}

func (u *UCP) createCart(ctx context.Context, r *request, in cartRequest) (out Cart, err error) {
	input, err := r.input(in, nil)
	if err != nil {
		return out, err
	}
	s, err := u.Assist.Create(ctx, r.caller, assistdb.Cart, input, "")
	return r.cart(s), err
}

func (u *UCP) getCart(ctx context.Context, r *request) (out Cart, err error) {
	s, err := u.Assist.Get(ctx, r.caller, assistdb.Cart, r.id)
	return r.cart(s), err
}

func (u *UCP) updateCart(ctx context.Context, r *request, in cartRequest) (out Cart, err error) {
	if err := r.sameID(in.ID); err != nil {
		return out, err
	}
	s, err := u.Assist.Replace(ctx, r.caller, assistdb.Cart, r.id, func(assist.Input) (assist.Input, error) { return r.input(in, nil) })
	return r.cart(s), err
}

func (u *UCP) cancelCart(ctx context.Context, r *request) (out Cart, err error) {
	s, err := u.Assist.Cancel(ctx, r.caller, assistdb.Cart, r.id)
	return r.cart(s), err
}

func (u *UCP) createCheckout(ctx context.Context, r *request, in checkoutRequest) (out Checkout, err error) {
	if in.CartID != "" {
		in.Lines = nil // those of the cart
	}
	input, err := r.input(in.cartRequest, in.Fulfillment)
	if err != nil {
		return out, err
	}
	s, err := u.Assist.Create(ctx, r.caller, assistdb.Checkout, input, in.CartID)
	return r.checkout(s), err
}

func (u *UCP) getCheckout(ctx context.Context, r *request) (out Checkout, err error) {
	s, err := u.Assist.Get(ctx, r.caller, assistdb.Checkout, r.id)
	return r.checkout(s), err
}

func (u *UCP) updateCheckout(ctx context.Context, r *request, in checkoutRequest) (out Checkout, err error) {
	if err := r.sameID(in.ID); err != nil {
		return out, err
	}
	s, err := u.Assist.Replace(ctx, r.caller, assistdb.Checkout, r.id, func(assist.Input) (assist.Input, error) {
		return r.input(in.cartRequest, in.Fulfillment)
	})
	return r.checkout(s), err
}

func (u *UCP) cancelCheckout(ctx context.Context, r *request) (out Checkout, err error) {
	s, err := u.Assist.Cancel(ctx, r.caller, assistdb.Checkout, r.id)
	return r.checkout(s), err
}

func (u *UCP) completeCheckout(ctx context.Context, r *request, in completeRequest) (out Checkout, err error) {
	with, err := r.payment(in)
	if err != nil {
		return out, err
	}
	s, err := u.Assist.Complete(ctx, r.caller, r.id, with)
	return r.checkout(s), err
}
