// Package setting is what the people of a shop decide for all of it: its name,
// language and contacts, how orders are delivered (CONTRACT-COMMERCE, "Shop
// settings" and "Cart").
//
// Settings have no draft and are nobody's but the owner's and the admins': keys
// are refused. Visitors see of them what pages print, and the ways of delivery.
// What the operator decides, such as the currency, is not changed here.
package setting

import (
	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

// Settings answers the endpoints of this package.
type Settings struct{ store *store.Store }

// New makes the slice.
func New(s *store.Store) *Settings { return &Settings{store: s} }

// Endpoints is the table of this slice.
func (s *Settings) Endpoints() []api.Endpoint {
	role := api.ErrRole.With("settings are for owners and admins")
	list := api.Refuses(api.ErrNoCompany, store.ErrShopNotFound)
	return []api.Endpoint{
		{Method: "GET", Path: "/v1/shop/settings", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Read, Errors: api.Refuses(store.ErrShopNotFound), Do: api.Handle(s.settings),
			Summary: "How the shop is set up"},
		{Method: "PUT", Path: "/v1/shop/settings", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(errSetting, store.ErrShopNotFound), Do: api.Handle(s.change),
			Summary: "Change settings; what is not sent stays"},
		{Method: "GET", Path: "/v1/shop/delivery-options", Auth: api.Public, Contour: api.LiveOnly, Class: api.Read, Errors: list, Do: api.Handle(s.deliveryOptions),
			Summary: "The ways of delivery in their order; inactive ones for the shop's people alone"},
		{Method: "POST", Path: "/v1/shop/delivery-options", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(errDelivery, sales.ErrDeliveryLimit), Do: api.Handle(s.addDelivery),
			Summary: "Add a way of delivery"},
		{Method: "PUT", Path: "/v1/shop/delivery-options/{id}", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(errDelivery, sales.ErrDeliveryNotFound), Do: api.Handle(s.changeDelivery),
			Summary: "Change a way of delivery; orders keep what was chosen"},
		{Method: "DELETE", Path: "/v1/shop/delivery-options/{id}", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(sales.ErrDeliveryNotFound), Do: api.Handle(s.dropDelivery),
			Summary: "Take a way of delivery off the list"},
	}
}

// errSetting names the setting that makes no sense.
var errSetting = shop.Refuse(shop.InvalidArgument, "SETTINGS_INVALID").When("a setting makes no sense; the detail begins with its name")
