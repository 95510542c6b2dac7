package zone

import (
	"encoding/json"
	"net/url"
	"strconv"

	"vitrine/render"
)

// drawer is what lies below /cart: the same cart to be shown beside another page.
const drawer = "drawer"

// A code that the shop does not know may be one that a person has alone, and nobody
// is signed in: the page says so (document 2, 2.1).
const notFound, needAuth = "NOT_FOUND", "NEED_AUTH"

// cart reads the visitor's cart; that of nobody is empty.
func (v *Visit) cart() (*render.Cart, error) {
	c := &render.Cart{}
	if v.token == "" {
		return c, nil
	}
	refused, err := v.call("GET", "/cart/items", nil, &result[*render.Cart]{c})
	switch {
	case err != nil || refused != nil && refused.unknown():
		return c, err
	case refused != nil:
		c.Trouble = refused.trouble("")
	case c.Rejected == notFound:
		who, err := v.person()
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

// Belongings is how many units the visitor's cart holds, and whether the visitor is
// signed in; nothing without a session.
func (v *Visit) Belongings() (units int64, signedIn bool, err error) {
	v.token = v.session()
	who, err := v.person()
	if err != nil || v.token == "" {
		return 0, false, err
	}
	var c render.Cart
	_, err = v.call("GET", "/cart/items", nil, &result[*render.Cart]{&c})
	return c.Units, who != nil, err
}

// options are the ways of delivery, the usual one first.
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
	if v.Query.Get(clipped) != "" {
		for i := range c.Lines {
			c.Lines[i].Clipped = c.Lines[i].Available != nil && *c.Lines[i].Available == c.Lines[i].Quantity
		}
	}
	return Answer{Body: c, Drawer: v.Below == drawer}, err
}

// clipped is the parameter of a cart of which a line was brought down to what is left.
const clipped = "left"

// takeCart takes the forms that change a cart.
func (v *Visit) takeCart() (Answer, error) {
	if v.Below != "" {
		return missing()
	}
	refused, err := v.changeCart()
	if err != nil {
		return Answer{}, err
	}
	if refused == nil {
		switch less, err := v.clip(); {
		case err != nil:
			return Answer{}, err
		case less:
			return to("/cart?" + clipped + "=1")
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

// clip brings the line that a form has changed down to as many as there are. It reports
// whether there were too few.
func (v *Visit) clip() (bool, error) {
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
		if _, err := v.call("PUT", line, map[string]int64{"quantity": *l.Available}, nil); err != nil { // refused: it went meanwhile
			return false, err
		}
	}
	return less, nil
}

// addToCart adds what a product page offers. A chosen variant has a line of its
// own.
func (v *Visit) addToCart() (*refusal, error) {
	if refused, err := v.enter(); err != nil || refused != nil {
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

// linePath is the API's address of the line that a form is about.
func (v *Visit) linePath() string {
	return path("/cart/items", v.sent("product_id"), v.Form.Get("key"))
}

// path is an address of the API below another.
func path(base string, segments ...string) string {
	for _, s := range segments {
		base += "/" + url.PathEscape(s)
	}
	return base
}
