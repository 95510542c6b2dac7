package render

import "cmp"

// buyWords are the texts of cart, checkout, orders and account, in one language.
type buyWords struct {
	// The cart.
	Update, Checkout, GoOn, Before, Discount, Units, Sets             string
	Code, CodeApply, CodeDrop, CodeWorks                              string
	LineShort, LineOut, CartShort, Gift, Free, Goods, Details, ToCart string
	AddedTitle, OpenCart                                              string
	// The checkout.
	Contact, Name, Phone, Email, EmailWhy, Optional                     string
	Delivery, DeliveryFree, FreeFrom, NoDelivery, Address, KnownAddress string
	RemindMe                                                            string
	Country, Region, City, Street, Postcode, AddressNote                string
	Comment, CommentWhy, Summary, Place, Pay, PayNote, Grand, Including string
	Where, WhereWhy, ShowDelivery, NoPlace, Stuck, StuckAsk, PickupAt   string
	Plus, VATNumber                                                     string
	HaveAccount, PriceWas, PriceIs, PriceAgree, SessionEnded            string
	// Orders.
	Order, Orders, OrderMade, OrderMadeText, Placed, Status, Again                     string
	Messages, MessagesEarlier, MessageNone, MessageSend, MessageYour, You, Shop, New   string
	PayNow, PaidNow, PaidNowText, PayWaits, PayWaitsText                               string
	PayRefused, PayRefusedText                                                         string
	Paid, Refunding, Refunded, HowToPay, Unpaid, KeepOrder, KeepOrderText, SignInToSee string
	Cancel, CancelSure, CancelRefund, CancelNow                                        string
	Parcels, ParcelSent, ParcelSentOn, ParcelArrived, ParcelArrivedOn, ParcelTrack     string
	// The account.
	SignIn, SignInText, Register, RegisterText, Password, PasswordNew string
	PasswordRule, WithCode, CodeSend, CodeSent, CodeOf, CodeEnter     string
	Forgot, ForgotText, ForgotSend, ForgotSent, ResetTitle, ResetDone string
	Profile, Save, Saved, Leave, Addresses, AddAddress, EditAddress   string
	Default, MakeDefault, Edit, Remove, RemoveAccount, RemoveText     string
	RemoveSure, Export, Hello, AccountGone, Confirm, EmailNew         string
	Unproven, UnprovenText, CodeAgain                                 string
	ChangeEmail, ChangePassword, PasswordNow, OrCode, CodeSentNote    string
	Factor                                                            string
	EmailAsked                                                        string
	// Assistants.
	LinkTitle, LinkAsks, LinkUnchecked, LinkBack, LinkMay, LinkEnd string
	LinkProof, LinkAllow, LinkDeny, LinkBad                        string
	Links, LinksText, LinkSince, LinkUsed, Unlink, Unlinked        string
	// Wishlist and deals.
	Create, Choose string
	// Promotions.
	FreeDelivery, Coupons, CouponFrom, CouponUntil, CouponTake string

	statuses   map[string]string // of an order
	shipments  map[string]string // by the shipment_status of an order
	linkScopes map[string]string // what an assistant may do by a scope
	troubles   map[string]string // by the error code of the API
	rejected   map[string]string // reasons why a promo code is refused
	short      func(n int64) string
	units      func(n int64) string
	days       func(n int64) string
	moreFor    func(more, what string) string
	fromN      func(n int64) string
}

// StatusName is a status of an order in words.
func (b *buyWords) StatusName(status string) string { return cmp.Or(b.statuses[status], status) }

// ShipmentName is in words how much of an order was shipped; empty if nothing was.
func (b *buyWords) ShipmentName(status string) string { return b.shipments[status] }

// Days is how soon goods arrive.
func (b *buyWords) Days(n int) string { return b.days(int64(n)) }

// Trouble is the text for an error code of the API; empty if there is no code.
func (b *buyWords) Trouble(code string) string {
	if code == "" {
		return ""
	}
	return cmp.Or(b.troubles[code], b.troubles["other"])
}

// Rejected is the text for the reason a promo code was refused; empty if there is no reason.
func (b *buyWords) Rejected(why string) string {
	if why == "" {
		return ""
	}
	return cmp.Or(b.rejected[why], b.rejected["NOT_FOUND"])
}

// Left is the text for n units left.
func (b *buyWords) Left(n int64) string { return b.short(n) }

// MoreFor is the text for what is still missing for a promotion.
func (b *buyWords) MoreFor(more, what string) string { return b.moreFor(more, what) }

// FromUnits is the text for a condition that starts at a quantity.
func (b *buyWords) FromUnits(n int64) string { return b.fromN(n) }

// Items is the text for a number of units.
func (b *buyWords) Items(n int64) string { return b.units(n) }
