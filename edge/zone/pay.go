package zone

import (
	"errors"
	"strconv"
	"strings"

	"vitrine/render"
)

// manual is the method whose money goes no way of ours: buyer and seller agree.
const manual = "manual"

// atProvider reports whether a method leads to a provider.
func atProvider(method string) bool { return method != "" && method != manual }

// methods are the ways to pay that the shop takes.
func (v *Visit) methods() ([]render.PayMethod, error) {
	var found result[[]render.PayMethod]
	_, err := v.call("GET", "/v1/shop/payment-methods", nil, &found)
	return found.Result, err
}

// pay leads to the provider of an order's payment, or to the order where the provider
// does not take it: the order is made all the same. made says on its page that it was
// made just now; it may be empty.
func (v *Visit) pay(order, method, made string) (Answer, error) {
	var begun result[struct {
		Status      string `json:"status"`
		RedirectURL string `json:"redirect_url"`
	}]
	refused, err := v.call("POST", v.linkedTo(order, "payment"), map[string]string{"method": method, "return_url": v.orderAt(order, "back=1"+made)}, &begun)
	switch {
	case errors.Is(err, errAway):
		return to(v.orderAt(order, "unpaid=PAYMENT_PROVIDER_UNAVAILABLE"+made))
	case err != nil:
		return Answer{}, err
	case refused != nil:
		return to(v.orderAt(order, "unpaid="+refused.Code+made))
	case begun.Result.Status == "pending" && begun.Result.RedirectURL != "":
		return Answer{Away: begun.Result.RedirectURL}, nil
	}
	return to(v.orderAt(order, ""))
}

// Looks of the page of an order that waits for its provider.
const (
	maxLooks = 20
	lookTime = 3 // seconds
)

// back is how often the page of an order was shown since its buyer came back.
func (v *Visit) back() int {
	n, err := strconv.Atoi(v.Query.Get("back"))
	if err != nil || n < 0 || n > maxLooks {
		return 0
	}
	return n
}

// troubles is what the query says went wrong; it is a code of the API or nothing.
func (v *Visit) troubles() render.Trouble {
	code := v.Query.Get("unpaid")
	if !strings.HasPrefix(code, "PAYMENT_") && code != "ORDER_CANCELLED" || len(code) > 64 {
		return render.Trouble{}
	}
	return render.Trouble{Code: code}
}
