package zone

import (
	"encoding/json"
	"net/url"
	"strconv"

	"vitrine/render"
)

// drawer is the path below /cart that answers the same cart for display beside another
// page.
const drawer = "drawer"

// A code that is not found may belong to one customer. If nobody is signed in, the page
// asks for a sign-in (document 2, 2.1).
const notFound, needAuth = "NOT_FOUND", "NEED_AUTH"

// cart reads the visitor's cart, which is empty without a session.
func (v *Visit) cart() (*render.Cart, error) {
	c := &render.Cart{}
	if v.token == "" {
		return c, nil
	}
	refused, err := v.call("GET", "/cart/items", nil, &result[*render.Cart]{c})
	switch {
	case err != nil || refused != nil && refused.unauthenticated():
		return c, err
	case refused != nil:
		c.Trouble = refused.trouble("")
	case c.Rejected == notFound:
		who, err := v.customer()
		if who == nil && err == nil {
			c.Rejected = needAuth
		}
		return c, err
	case len(c.Lines) > 0 && v.Below == "":
		options, err := v.options()
		if len(options) > 0 && options[0].FreeFrom != nil && options[0].Price > 0 {
			c.FreeFrom = *options[0].FreeFrom
		}
		return c, err
	}
	return c, nil
}

// CartAndSignIn returns the number of units in the visitor's cart and whether the visitor is
// signed in. Without a session both are zero.
func (v *Visit) CartAndSignIn() (units int64, signedIn bool, err error) {
	v.token = v.session()
	who, err := v.customer()
	if err != nil || v.token == "" {
		return 0, false, err
	}
	var c render.Cart
	_, err = v.call("GET", "/cart/items", nil, &result[*render.Cart]{&c})
	return c.Units, who != nil, err
}

// options are the delivery options, the default one first.
func (v *Visit) options() ([]render.DeliveryOption, error) {
	var options result[[]render.DeliveryOption]
	_, err := v.call("GET", "/v1/shop/delivery-options", nil, &options)
	return options.Result, err
}

func (v *Visit) showCart() (Answer, error) {
	if v.Below != "" && v.Below != drawer {
		return missing()
	}
	c, err := v.cart()
	if v.Query.Get(clippedParam) != "" {
		for i := range c.Lines {
			c.Lines[i].Clipped = c.Lines[i].Available != nil && *c.Lines[i].Available == c.Lines[i].Quantity
		}
	}
	return Answer{Body: c, Drawer: v.Below == drawer}, err
}

// clippedParam marks a cart with a line reduced to the available quantity.
const clippedParam = "left"

// takeCart handles the forms that change a cart.
func (v *Visit) takeCart() (Answer, error) {
	if v.Below != "" {
		return missing()
	}
	refused, err := v.changeCart()
	if err != nil {
		return Answer{}, err
	}
	if refused == nil {
		switch less, err := v.capLine(); {
		case err != nil:
			return Answer{}, err
		case less:
			return to("/cart?" + clippedParam + "=1")
		}
		return to("/cart")
	}
	c, err := v.cart()
	if err != nil {
		return Answer{}, err
	}
	c.Trouble = refused.trouble("")
	return page(c, refused)
}

func (v *Visit) changeCart() (*refusal, error) {
	switch v.sent("do") {
	case "remove":
		return v.call("DELETE", v.linePath(), nil, nil)
	case "code":
		return v.call("POST", "/cart/promo", map[string]string{"code": v.sent("code")}, nil)
	case "drop-code":
		return v.call("DELETE", "/cart/promo", struct{}{}, nil)
	case "add":
		return v.addToCart()
	}
	quantity, err := strconv.ParseInt(v.sent("quantity"), 10, 64)
	switch {
	case err != nil:
		return &refusal{400, "INVALID_REQUEST"}, nil
	case v.Form.Has("less"):
		quantity--
	case v.Form.Has("more"):
		quantity++
	}
	if quantity <= 0 {
		return v.call("DELETE", v.linePath(), nil, nil)
	}
	return v.call("PUT", v.linePath(), map[string]int64{"quantity": quantity}, nil)
}

// capLine reduces the line that a form has changed to the available quantity. It reports
// whether it did.
func (v *Visit) capLine() (bool, error) {
	if do := v.sent("do"); do != "add" && do != "set" && do != "" {
		return false, nil
	}
	c, err := v.cart()
	if err != nil {
		return false, err
	}
	less := false
	for i := range c.Lines {
		l := &c.Lines[i]
		if strconv.FormatInt(l.Product, 10) != v.sent("product_id") || l.IsGift || !l.Short() || *l.Available < 1 {
			continue
		}
		less = true
		line := path("/cart/items", v.sent("product_id"), l.Key)
		if _, err := v.call("PUT", line, map[string]int64{"quantity": *l.Available}, nil); err != nil { // a refusal is ignored: the line was removed meanwhile
			return false, err
		}
	}
	return less, nil
}

// addToCart adds the product of a product page. A chosen variant has its own line.
func (v *Visit) addToCart() (*refusal, error) {
	if refused, err := v.ensureSession(); err != nil || refused != nil {
		return refused, err
	}
	quantity := int64(1)
	if text := v.sent("quantity"); text != "" {
		var err error
		if quantity, err = strconv.ParseInt(text, 10, 64); err != nil {
			return &refusal{400, "INVALID_REQUEST"}, nil
		}
	}
	key, data := "default", map[string]any{}
	if id, err := strconv.ParseInt(v.sent("variant"), 10, 64); err == nil {
		key, data["variant_id"] = "v"+strconv.FormatInt(id, 10), json.Number(strconv.FormatInt(id, 10))
	}
	return v.call("POST", path("/cart/items", v.sent("product_id"), key), map[string]any{"quantity": quantity, "data": data}, nil)
}

// linePath is the API's address of the cart line of a form.
func (v *Visit) linePath() string {
	return path("/cart/items", v.sent("product_id"), v.Form.Get("key"))
}

// path appends escaped segments to an address of the API.
func path(base string, segments ...string) string {
	for _, s := range segments {
		base += "/" + url.PathEscape(s)
	}
	return base
}
