package zone

import "vitrine/render"

// wishlist reads the visitor's wishlist.
func (v *Visit) wishlist() (*render.Wishlist, error) {
	w := &render.Wishlist{}
	if v.token == "" {
		return w, nil
	}
	var found result[list[render.WishItem]]
	refused, err := v.call("GET", "/v1/account/wishlist", nil, &found)
	if err == nil && refused != nil && !refused.unauthenticated() {
		w.Trouble = refused.trouble("")
	}
	w.Items = found.Result.Items
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
	w.Trouble = refused.trouble("")
	return page(w, refused)
}

func (v *Visit) changeWishlist() (*refusal, error) {
	one := path("/v1/account/wishlist", v.sent("product_id"))
	switch v.sent("do") {
	case "remove":
		return v.call("DELETE", one, nil, nil)
	case "to-cart":
		return v.addToCart()
	}
	if refused, err := v.ensureSession(); err != nil || refused != nil {
		return refused, err
	}
	return v.call("PUT", one, struct{}{}, nil)
}
