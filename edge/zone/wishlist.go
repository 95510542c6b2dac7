package zone

import (
	"vitrine/edge/backend"
	"vitrine/render"
)

// wishlist reads the visitor's wishlist.
func (v *Visit) wishlist() (*render.Wishlist, error) {
	w := &render.Wishlist{}
	if !v.Backend.HasSession() {
		return w, nil
	}
	items, refused, err := v.Backend.Wishlist()
	if err == nil && !refused.Unauthenticated() {
		w.Trouble = trouble(refused, "")
	}
	w.Items = items
	return w, err
}

func (v *Visit) showWishlist() (Answer, error) {
	if v.Below != "" {
		return missing()
	}
	w, err := v.wishlist()
	return Answer{Body: w}, err
}

// takeWishlist adds a product, removes it, or puts it into the cart.
func (v *Visit) takeWishlist() (Answer, error) {
	if v.Below != "" {
		return missing()
	}
	refused, err := v.changeWishlist()
	switch {
	case err != nil:
		return Answer{}, err
	case refused == nil && v.sent("do") == "to-cart":
		return to("/cart")
	case refused == nil:
		return to("/wishlist")
	}
	w, err := v.wishlist()
	if err != nil {
		return Answer{}, err
	}
	w.Trouble = trouble(refused, "")
	return page(w, refused)
}

func (v *Visit) changeWishlist() (*backend.Refusal, error) {
	switch v.sent("do") {
	case "remove":
		return v.Backend.Unwish(v.sent("product_id"))
	case "to-cart":
		return v.addToCart()
	}
	if refused, err := v.Backend.EnsureSession(); err != nil || refused != nil {
		return refused, err
	}
	return v.Backend.Wish(v.sent("product_id"))
}
