package acp

import (
	"strconv"

	"vitrine/admin/assist"
	"vitrine/compile/price"
)

// message is what an assistant or its buyer should know.
type message struct {
	Type        string `json:"type" enum:"error,warning,info"`
	Code        string `json:"code,omitempty"`
	Resolution  string `json:"resolution,omitempty" enum:"recoverable,requires_buyer_input,requires_buyer_review"`
	Param       string `json:"param,omitempty" doc:"RFC 9535 path of the answer"`
	ContentType string `json:"content_type" enum:"plain"`
	Content     string `json:"content"`
}

// codes are the codes of the protocol for problems; others are conflicts.
var codes = map[string]string{
	"CONTACT_REQUIRED": "missing", "CONTACT_INVALID": "invalid", "ADDRESS_REQUIRED": "missing", "DELIVERY_NOT_POSSIBLE": "region_restricted", "DELIVERY_NOT_FOUND": "invalid",
	"out_of_stock": "out_of_stock", "ORDER_TOO_LARGE": "maximum_exceeded", assist.ItemUnavailable: "not_found", assist.NoItems: "missing", assist.PaymentFailed: "payment_declined",
	assist.Requires3DS: "requires_3ds",
}

// params are the paths of the fields of problems.
var params = map[string]string{
	"name": "$.buyer.first_name", "phone": "$.buyer.phone_number", "email": "$.buyer.email", "address": "$.fulfillment_details.address",
	"delivery": "$.selected_fulfillment_options[0]", "items": "$.line_items", "codes": "$.discounts.codes", "payment": "$.payment_data", "total": "$.totals",
}

// messages lists what is stated about a session; why is the reason of an escalation.
func messages(st *assist.State, why string) []message {
	list := []message{}
	told := false
	for _, p := range st.Problems {
		m := message{Type: "error", Code: codes[p.Code], Resolution: string(p.Severity), Param: params[p.Field], ContentType: "plain", Content: p.Text}
		if m.Code == "" {
			m.Code = "conflict"
		}
		if p.Line >= 0 {
			m.Param = "$.line_items[" + strconv.Itoa(p.Line) + "]"
		}
		told = told || p.Code == why
		list = append(list, m)
	}
	switch {
	case told || why == "":
	case why == assist.HandedOff:
		list = append(list, message{Type: "error", Code: "intervention_required", Resolution: string(assist.BuyerReview), ContentType: "plain",
			Content: "The buyer has opened the checkout in a browser, and finishes it there."})
	default:
		list = append(list, message{Type: "error", Code: "intervention_required", Resolution: string(assist.BuyerInput), ContentType: "plain",
			Content: "The buyer has to pay on the shop's page at continue_url."})
	}
	for _, c := range st.Codes {
		if c.Refused != "" {
			list = append(list, message{Type: "warning", Code: reasonOf(c.Refused), Param: params["codes"], ContentType: "plain", Content: textOf(c)})
		}
	}
	for _, n := range st.Notices {
		list = append(list, message{Type: "info", Param: params[n.Field], ContentType: "plain", Content: n.Text})
	}
	return list
}

// reasons are the codes of the protocol for codes of promotions that are not applied; others are
// invalid.
var reasons = map[price.Rejection]string{
	price.Expired: "expired", price.AlreadyUsed: "user_ineligible", price.BelowTotal: "minimum_not_met", price.BelowUnits: "minimum_not_met",
	price.Exhausted: "usage_limit_reached", price.BudgetSpent: "usage_limit_reached", assist.Repeated: "already_applied", assist.Combination: "combination_disallowed",
}

func reasonOf(r price.Rejection) string {
	if reason := reasons[r]; reason != "" {
		return "discount_code_" + reason
	}
	return "discount_code_invalid"
}

func textOf(c assist.CodeResult) string {
	return "The code " + strconv.Quote(c.Code) + " is not applied: " + texts[reasonOf(c.Refused)] + "."
}

var texts = map[string]string{
	"discount_code_invalid": "it does not exist or does not fit", "discount_code_expired": "it has expired", "discount_code_user_ineligible": "the buyer has used it",
	"discount_code_minimum_not_met": "the order is too small", "discount_code_usage_limit_reached": "it is used up", "discount_code_already_applied": "it was sent twice",
	"discount_code_combination_disallowed": "another code is applied",
}
