// Package setting manages the settings of a shop: its name, language, contacts and delivery
// options (CONTRACT-COMMERCE, "Shop settings" and "Cart").
//
// Settings have no draft. Only the owner and admins read and change them; keys are refused.
// Visitors see the settings that pages print, and the delivery options. Settings controlled by
// the operator, such as the currency, are not changed here.
package setting

import (
	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

// Settings serves the endpoints of this package.
type Settings struct{ store *store.Store }

// New returns Settings.
func New(s *store.Store) *Settings { return &Settings{store: s} }

// Endpoints lists the endpoints of this package.
func (s *Settings) Endpoints() []api.Endpoint {
	role := api.ErrRole.With("only owners and admins manage settings")
	list := api.Refuses(api.ErrNoCompany, store.ErrShopNotFound)
	return []api.Endpoint{
		{Method: "GET", Path: "/v1/shop/settings", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Read, Errors: api.Refuses(store.ErrShopNotFound), Do: api.Handle(s.settings),
			Summary: "The settings of the shop"},
		{Method: "PUT", Path: "/v1/shop/settings", Edits: "/v1/shop/settings", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(errSetting, store.ErrShopNotFound), Do: api.Handle(s.change),
			Summary: "Change settings; settings that are not sent stay unchanged"},
		{Method: "GET", Path: "/v1/shop/tax-rates", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Read, Do: api.Handle(startTaxes),
			Summary: "Rates of the EU, the United Kingdom and Switzerland to begin the setting tax with"},
		{Method: "GET", Path: "/v1/shop/delivery-options", Auth: api.Public, Contour: api.LiveOnly, Class: api.Read, Errors: list, Do: api.Handle(s.deliveryOptions),
			Summary: "The delivery options in order; inactive ones are shown only to members of the shop"},
		{Method: "POST", Path: "/v1/shop/delivery-options", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(errDelivery, sales.ErrDeliveryLimit), Do: api.Handle(s.addDelivery),
			Summary: "Add a delivery option"},
		{Method: "GET", Path: "/v1/shop/delivery-options/{id}", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Read, Errors: api.Refuses(sales.ErrDeliveryNotFound), Do: api.Handle(s.deliveryOption),
			Summary: "One delivery option"},
		{Method: "PUT", Path: "/v1/shop/delivery-options/{id}", Edits: "/v1/shop/delivery-options/{id}", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(errDelivery, sales.ErrDeliveryNotFound), Do: api.Handle(s.changeDelivery),
			Summary: "Change a delivery option; existing orders keep theirs"},
		{Method: "DELETE", Path: "/v1/shop/delivery-options/{id}", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(sales.ErrDeliveryNotFound), Do: api.Handle(s.dropDelivery),
			Summary: "Delete a delivery option"},
	}
}

// errSetting refuses an invalid setting.
var errSetting = shop.Refuse(shop.InvalidArgument, "SETTINGS_INVALID").When("a setting is invalid; the detail begins with its name")
