package render

// buyWords are the texts of the pages where visitors buy, in one language.
type buyWords struct {
	// The cart.
	Update, Checkout, GoOn, Before, Discount, Units, Sets             string
	Code, CodeApply, CodeDrop, CodeWorks                              string
	LineShort, LineOut, CartShort, Gift, Free, Goods, Details, ToCart string
	AddedTitle, OpenCart                                              string
	// The checkout.
	Contact, Name, Phone, Email, EmailWhy, Optional                     string
	Delivery, DeliveryFree, FreeFrom, NoDelivery, Address, KnownAddress string
	Country, Region, City, Street, Postcode, AddressNote                string
	Comment, CommentWhy, Summary, Place, Pay, PayNote, Grand, Including string
	HaveAccount, PriceWas, PriceIs, PriceAgree, SessionEnded            string
	// Orders.
	Order, Orders, OrderMade, OrderMadeText, Placed, Status, Again                     string
	Messages, MessagesEarlier, MessageNone, MessageSend, MessageYour, You, Shop, New   string
	PayNow, PaidNow, PaidNowText, PayWaits, PayWaitsText                               string
	PayRefused, PayRefusedText                                                         string
	Paid, Refunding, Refunded, HowToPay, Unpaid, KeepOrder, KeepOrderText, SignInToSee string
	// The account.
	SignIn, SignInText, Register, RegisterText, Password, PasswordNew string
	PasswordRule, WithCode, CodeSend, CodeSent, CodeOf, CodeEnter     string
	Forgot, ForgotText, ForgotSend, ForgotSent, ResetTitle, ResetDone string
	Profile, Save, Saved, Leave, Addresses, AddAddress, EditAddress   string
	Default, MakeDefault, Edit, Remove, RemoveAccount, RemoveText     string
	RemoveSure, Export, Hello, AccountGone, Confirm, EmailNew         string
	ChangeEmail, ChangePassword, PasswordNow, OrCode, CodeSentNote    string
	EmailAsked                                                        string
	// Wishlist and deals.
	Create, Choose string
	// Promotions.
	FreeDelivery, Coupons, CouponFrom, CouponUntil, CouponTake string

	statuses map[string]string // of an order
	troubles map[string]string // by the code of the API's refusal
	rejected map[string]string // why a code gives nothing
	short    func(n int64) string
	units    func(n int64) string
	moreFor  func(more, what string) string
	fromN    func(n int64) string
}

// StatusName is a status of an order in words.
func (b *buyWords) StatusName(status string) string { return orElse(b.statuses[status], status) }

// Trouble says in words why the API refused; empty where it did not.
func (b *buyWords) Trouble(code string) string {
	if code == "" {
		return ""
	}
	return orElse(b.troubles[code], b.troubles["other"])
}

// Rejected says in words why a code gives nothing; empty where it gives.
func (b *buyWords) Rejected(why string) string {
	if why == "" {
		return ""
	}
	return orElse(b.rejected[why], b.rejected["NOT_FOUND"])
}

// Left says how many there are.
func (b *buyWords) Left(n int64) string { return b.short(n) }

// MoreFor says how much more there must be for something.
func (b *buyWords) MoreFor(more, what string) string { return b.moreFor(more, what) }

// FromUnits says that something holds from a quantity on.
func (b *buyWords) FromUnits(n int64) string { return b.fromN(n) }

// Items counts units.
func (b *buyWords) Items(n int64) string { return b.units(n) }
