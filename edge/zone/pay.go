package zone

import (
	"errors"
	"strconv"
	"strings"

	"vitrine/edge/backend"
	"vitrine/render"
)

// manual is the payment method without a provider: buyer and seller arrange the payment.
const manual = "manual"

// atProvider reports whether a method is paid at a provider.
func atProvider(method string) bool { return method != "" && method != manual }

// pay redirects to the provider of an order's payment, or to the order if the provider
// refuses it: the order exists in any case. made is a query suffix which makes the order's
// page say that it was just placed; it may be empty.
func (v *Visit) pay(order, method, made string) (Answer, error) {
	begun, refused, err := v.Backend.Pay(order, method, v.orderPage(order, "back=1"+made))
	switch {
	case errors.Is(err, backend.ErrUnavailable):
		return to(v.orderPage(order, "unpaid=PAYMENT_PROVIDER_UNAVAILABLE"+made))
	case err != nil:
		return Answer{}, err
	case refused != nil:
		return to(v.orderPage(order, "unpaid="+refused.Code+made))
	case begun.Status == "pending" && begun.RedirectURL != "":
		return Answer{External: begun.RedirectURL}, nil
	}
	return to(v.orderPage(order, ""))
}

// Automatic reloads of the page of an order that awaits its provider.
const (
	maxRefreshes   = 20
	refreshSeconds = 3
)

// refreshes is how often the order's page was shown since its buyer returned from the
// provider.
func (v *Visit) refreshes() int {
	n, err := strconv.Atoi(v.Query.Get("back"))
	if err != nil || n < 0 || n > maxRefreshes {
		return 0
	}
	return n
}

// paymentTrouble is the payment refusal in the query, if it is a code of the API.
func (v *Visit) paymentTrouble() render.FormError {
	code := v.Query.Get("unpaid")
	if !strings.HasPrefix(code, "PAYMENT_") && code != "ORDER_CANCELLED" || len(code) > 64 {
		return render.FormError{}
	}
	return render.FormError{Code: code}
}
