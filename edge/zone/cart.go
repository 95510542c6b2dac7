package zone

import (
	"strconv"

	"vitrine/edge/backend"
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
	if !v.Backend.HasSession() {
		return &render.Cart{}, nil
	}
	c, refused, err := v.Backend.Cart()
	switch {
	case err != nil || refused.Unauthenticated():
	case refused != nil:
		c.Trouble = trouble(refused, "")
	case c.Rejected == notFound:
		var who *render.Person
		who, err = v.Backend.Customer()
		completeCart(&c, err == nil && who == nil, nil)
	case len(c.Lines) > 0 && v.Below == "":
		var options []render.DeliveryOption
		options, err = v.Backend.DeliveryOptions()
		completeCart(&c, false, options)
	}
	return &c, err
}

// completeCart adds to a cart what depends on the visitor and on the delivery options.
func completeCart(c *render.Cart, guest bool, options []render.DeliveryOption) {
	switch {
	case c.Rejected == notFound:
		if guest {
			c.Rejected = needAuth
		}
	case len(options) > 0 && options[0].FreeFrom != nil && options[0].Price > 0:
		c.FreeFrom = *options[0].FreeFrom
	}
}

// CartAndSignIn returns the number of units in the visitor's cart and whether the visitor is
// signed in. Without a session both are zero.
func (v *Visit) CartAndSignIn() (units int64, signedIn bool, err error) {
	who, err := v.Backend.Customer()
	if err != nil || !v.Backend.HasSession() {
		return 0, false, err
	}
	c, _, err := v.Backend.Cart()
	return c.Units, who != nil, err
}

func (v *Visit) showCart() (Answer, error) {
	if v.Below != "" && v.Below != drawer {
		return missing()
	}
	if key := v.Query.Get(openParam); key != "" {
		return v.openCart(key)
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

// openParam has the key of a cart in the link of a reminder.
const openParam = "open"

// openCart adds the lines of the cart of a link to the visitor's, and redirects to it without the key.
func (v *Visit) openCart(key string) (Answer, error) {
	refused, err := v.Backend.EnsureSession()
	if err == nil && refused == nil {
		refused, err = v.Backend.OpenCart(key)
	}
	if err != nil || refused == nil {
		return Answer{Location: "/cart"}, err
	}
	c, err := v.cart()
	if err != nil {
		return Answer{}, err
	}
	c.Trouble = trouble(refused, "")
	return page(c, refused)
}

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
	c.Trouble = trouble(refused, "")
	return page(c, refused)
}

func (v *Visit) changeCart() (*backend.Refusal, error) {
	switch v.sent("do") {
	case "remove":
		return v.removeLine()
	case "code":
		return v.Backend.UseCode(v.sent("code"))
	case "drop-code":
		return v.Backend.DropCode()
	case "add":
		return v.addToCart()
	}
	quantity, err := strconv.ParseInt(v.sent("quantity"), 10, 64)
	switch {
	case err != nil:
		return invalid, nil
	case v.Form.Has("less"):
		quantity--
	case v.Form.Has("more"):
		quantity++
	}
	if quantity <= 0 {
		return v.removeLine()
	}
	return v.Backend.SetQuantity(v.sent("product_id"), v.Form.Get("key"), quantity)
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
		if _, err := v.Backend.SetQuantity(v.sent("product_id"), l.Key, *l.Available); err != nil { // a refusal is ignored: the line was removed meanwhile
			return false, err
		}
	}
	return less, nil
}

// addToCart adds the product of a product page. A chosen variant has its own line.
func (v *Visit) addToCart() (*backend.Refusal, error) {
	if refused, err := v.Backend.EnsureSession(); err != nil || refused != nil {
		return refused, err
	}
	quantity := int64(1)
	if text := v.sent("quantity"); text != "" {
		var err error
		if quantity, err = strconv.ParseInt(text, 10, 64); err != nil {
			return invalid, nil
		}
	}
	variant, err := strconv.ParseInt(v.sent("variant"), 10, 64)
	if err != nil {
		variant = 0 // the product has none
	}
	return v.Backend.AddToCart(v.sent("product_id"), quantity, variant)
}

func (v *Visit) removeLine() (*backend.Refusal, error) {
	return v.Backend.RemoveLine(v.sent("product_id"), v.Form.Get("key"))
}
