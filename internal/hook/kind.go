// Package hook defines the public form of events (document 2, section 6): the kinds of
// events, the envelope in which one is sent, and its signatures. It is pure.
package hook

import "slices"

// Sensitivity determines who may receive an event (document 2, 6.3).
type Sensitivity string

// The sensitivities. Ping is that of the test ping, which cannot be subscribed to.
const (
	Public     Sensitivity = "public"
	Personal   Sensitivity = "pii"
	Commercial Sensitivity = "commercial"
	Financial  Sensitivity = "financial"
	Ping       Sensitivity = ""
)

// Test is the event of a test ping.
const Test = "webhook.test"

// Kind is one row of document 2, 6.3. The whitelist, the permission to subscribe, the
// documents and the tests are derived from it.
type Kind struct {
	Name        string
	Sensitivity Sensitivity
	Data        []string // fields; optional ones end with a ?
	When        string
}

// Kinds are all events.
var Kinds = []Kind{
	{"order.created", Personal, []string{"order_id", "company_id", "status", "items_total", "currency"}, "checkout turned a cart into an order"},
	{"order.paid", Financial, []string{"order_id", "payment_id", "amount", "currency", "provider"}, "the payment provider confirmed the money; amount is in minor units"},
	{"order.refunded", Financial, []string{"order_id", "payment_id", "amount", "currency", "provider"}, "the money of a payment was returned in full; amount is in minor units"},
	{"order.shipped", Personal, []string{"order_id", "company_id", "shipment_id", "carrier", "number"}, "the seller shipped a parcel of the order"},
	{"order.status_changed", Personal, []string{"order_id", "company_id", "old_status", "new_status"}, "the seller moved the status, in any direction, the same status included"},
	{"product.updated", Public, []string{"product_id", "company_id"}, "a product was added, edited, deleted or restored, its variants, its group or its place in feeds changed, or a draft that contains it was published; stock edits emit nothing"},
	{"review.created", Public, []string{"review_id", "company_id", "rating", "product_id?"}, "a review was approved by moderation"},
	{"promotion.changed", Commercial, []string{"promotion_id", "company_id", "kind", "active", "name"}, "a promotion was created, edited or deleted; no prices in the event"},
	{"pricing_rule.changed", Commercial, []string{"company_id", "action", "pricing_rule_id?", "version?"}, "a quantity-pricing rule was created, edited or deleted"},
	{"pricing_rule.activated", Commercial, []string{"company_id", "action", "pricing_rule_id", "version"}, "a rule was switched on or off; action is activated or deactivated"},
	{"key.issued", Personal, []string{"order_id", "company_id", "user_id", "promotion_id", "code", "expires_at"}, "a personal coupon was issued to a buyer"},
	{"lead.created", Personal, []string{"lead_id", "form_id", "form_name", "values", "page_url?", "utm", "created_at", "test?"}, "a form submission arrived; spam and repeats are not emitted; test is true on a test submission"},
	{"design.changed", Public, []string{"company_id", "resource_type", "resource_id", "slots"}, "the chrome bindings of a resource changed; resource_id 0 is the default template"},
	{Test, Ping, []string{"webhook_id"}, "a test ping: one attempt, synchronous, not in the whitelist"},
}

// Find returns the kind with a name, if it can be subscribed to.
func Find(name string) (Kind, bool) {
	at := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name && k.Sensitivity != Ping })
	if at < 0 {
		return Kind{}, false
	}
	return Kinds[at], true
}

// Names returns the kinds that can be subscribed to: all, or those that every member may
// receive.
func Names(all bool) (names []string) {
	for _, k := range Kinds {
		if k.Sensitivity == Public || all && k.Sensitivity != Ping {
			names = append(names, k.Name)
		}
	}
	return names
}

// AnyMember reports whether every member of a shop may receive all these events; otherwise
// they are for owners and admins.
func AnyMember(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		k, known := Find(name)
		return !known || k.Sensitivity != Public
	})
}
