package render

import "strconv"

var englishBuying = buyWords{
	Update: "Update", Checkout: "Checkout", GoOn: "Continue shopping", Before: "Goods", Discount: "Discount", Units: "Items", Sets: "In the set",
	Code: "Promo code", CodeApply: "Apply", CodeDrop: "Remove the code", CodeWorks: "Code applied",
	LineShort: "Fewer in stock than you selected", LineOut: "Sold out", CartShort: "Some goods are no longer available in the quantity you selected. Please change it before checkout.",
	Gift: "Gift", Free: "Free", Goods: "Goods", Details: "Details", ToCart: "Add to cart", AddedTitle: "Added to your cart", OpenCart: "Open the cart",

	Contact: "Contact details", Name: "Name", Phone: "Phone", Email: "E-mail", EmailWhy: "For the confirmation", Optional: "optional",
	Delivery: "Delivery", DeliveryFree: "Free", FreeFrom: "free from", NoDelivery: "The shop will arrange delivery with you after the order.",
	RemindMe: "Remind me by e-mail, once, if I leave this cart without ordering",
	Address:  "Address", KnownAddress: "One of your addresses", Country: "Country", Region: "Region", City: "City", Street: "Street, house, flat", Postcode: "Postcode",
	Where: "Where to", WhereWhy: "Delivery and its price depend on it.", ShowDelivery: "Show delivery", NoPlace: "Choose a country to see how your order can be delivered.",
	Stuck: "The shop does not deliver this order there.", StuckAsk: "Please choose another place, or ask the shop:", PickupAt: "Collect at",
	AddressNote: "A note for the courier", Comment: "Comment", CommentWhy: "Anything the shop should know", Summary: "Your order", Place: "Place the order",
	Pay: "Payment", PayNote: "You arrange payment with the shop.", Grand: "To pay", Including: "Including", Plus: "Plus", VATNumber: "VAT number", HaveAccount: "Have an account? Sign in",
	PriceWas: "Prices have changed in the meantime. The total was", PriceIs: "it is now", PriceAgree: "Please check your order and place it again if you agree.",

	Order: "Order", Orders: "Your orders", SessionEnded: "Your session has ended. If you have an account, sign in again to restore your cart and your entries.", OrderMade: "Thank you, your order is placed", OrderMadeText: "The shop has received it and will contact you. This page shows its progress.",
	Placed: "Placed on", Status: "Status", Again: "Order again", Messages: "Messages", MessagesEarlier: "Earlier messages", MessageNone: "Anything to ask about this order? Write to the shop.",
	MessageSend: "Send", MessageYour: "Your message", You: "You", Shop: "Shop", New: "new", PayNow: "Pay", PaidNow: "Your payment was received",
	PaidNowText: "Thank you. The shop has been notified.", PayWaits: "Waiting for the payment", PayWaitsText: "The payment provider has not responded yet. This page updates automatically.",
	PayRefused: "The payment failed", PayRefusedText: "You were not charged. You can try again or choose another payment method.",
	Paid: "Paid", Refunding: "The refund is being processed", Refunded: "Refunded", HowToPay: "How to pay", Unpaid: "Not paid yet",
	KeepOrder: "Keep this order", KeepOrderText: "Create an account to find it again on every device.", SignInToSee: "Sign in to see orders of other devices",
	Cancel: "Cancel the order", CancelSure: "Do you want to cancel this order? This cannot be undone.", CancelRefund: "Your payment will be refunded.", CancelNow: "Yes, cancel the order",
	Parcels: "Parcels", ParcelSent: "On its way", ParcelSentOn: "Shipped on", ParcelArrived: "Delivered", ParcelArrivedOn: "delivered on", ParcelTrack: "Track the parcel",

	SignIn: "Sign in", SignInText: "Your orders, addresses and saved goods in one place.", Register: "New here", Create: "Create an account", RegisterText: "Your cart is kept.",
	Password: "Password", PasswordNew: "New password", PasswordRule: "At least 8 characters", WithCode: "Sign in with a code", CodeSend: "Send me a code",
	CodeSent: "A code was sent to", CodeOf: "Code from the e-mail", CodeEnter: "Sign in", Forgot: "Forgot your password?",
	ForgotText: "We will send you a link to set a new one.", ForgotSend: "Send the link", ForgotSent: "If this account exists, we have sent a link.",
	ResetTitle: "Set a new password", ResetDone: "Your new password is set.", Profile: "About you", Save: "Save", Saved: "Saved.", Leave: "Sign out",
	Addresses: "Addresses", AddAddress: "Add an address", EditAddress: "Change the address", Default: "Default address", MakeDefault: "Make it the default",
	Edit: "Change", Remove: "Remove", RemoveAccount: "Remove the account", RemoveText: "Your account, addresses and lists will be deleted permanently. The shop keeps your orders without your name.",
	RemoveSure: "Delete permanently", Export: "Download all data stored about you", Hello: "Hello", AccountGone: "Your account was removed.", Confirm: "Confirm", EmailNew: "New e-mail",
	Unproven: "Your e-mail address is not confirmed", UnprovenText: "Some pages and prices are open only to customers whose address is confirmed. We send you a code.", CodeAgain: "Send the code again",
	ChangeEmail: "Change the e-mail", ChangePassword: "Change the password", PasswordNow: "Current password", OrCode: "or a code from an e-mail",
	Factor:       "Code of the authenticator app, or a recovery code",
	CodeSentNote: "We have sent a code to your e-mail address.", EmailAsked: "We have sent a code to the new address. The change takes effect when you enter it.",
	Choose:    "Choose",
	LinkTitle: "Link an assistant", LinkAsks: "asks to act for you in this shop.", LinkUnchecked: "This is what it calls itself; nobody has checked the name. It belongs to",
	LinkBack: "Afterwards you return to", LinkMay: "It may:", LinkEnd: "You can end this at any time in your account. The assistant does not get your password.",
	LinkProof: "Only you can agree. Please enter your password, or a code from an e-mail.", LinkAllow: "Allow", LinkDeny: "Refuse",
	LinkBad: "This request cannot be shown. Please go back to the assistant and start again.",
	Links:   "Linked assistants", LinksText: "They may act for you in this shop.", LinkSince: "Linked on", LinkUsed: "last used on", Unlink: "Unlink", Unlinked: "The assistant can no longer act for you.",

	statuses:  map[string]string{"new": "Placed", "processing": "In progress", "completed": "Completed", "cancelled": "Cancelled"},
	shipments: map[string]string{"partial": "Partly shipped", "shipped": "Shipped", "delivered": "Delivered"},
	linkScopes: map[string]string{
		"dev.ucp.shopping.cart:manage": "fill carts for you", "dev.ucp.shopping.checkout:manage": "place orders for you", "dev.ucp.shopping.order:read": "see your orders in this shop",
	},
	troubles: map[string]string{
		"CONSENT_OVER":  "This page was open for too long. Please decide once more.",
		"PHONE_INVALID": "This is not a phone number.", "VAT_NUMBER_INVALID": "This is not a VAT number: two letters of the country and the number.", "CONTACT_INVALID": "This is no e-mail address.", "CONTACT_REQUIRED": "Please fill this in.", "HTTPS_REQUIRED": "This works only over https: your browser stores no cookies here.", "CART_EMPTY": "Your cart is empty.", "COMPANY_UNAVAILABLE": "The shop is not accepting orders at the moment.",
		"ORDER_TOO_LARGE": "The order is too large. Please split it.", "PRICE_CHANGED": "Prices have changed. Please have a look at the new total.",
		"PROMO_CODE_EXHAUSTED": "This code has just been used up.", "CAMPAIGN_BUDGET_SPENT": "The campaign behind this code has ended.",
		"out_of_stock":     "Some items have just sold out. Please change the quantity.",
		"VARIANT_REQUIRED": "Please choose one of the variants, such as a size.",
		"ADDRESS_REQUIRED": "This delivery needs an address.", "DELIVERY_NOT_FOUND": "This delivery is no longer offered. Please choose another.",
		"DELIVERY_NOT_POSSIBLE": "Your order cannot be delivered there this way. Please choose another delivery or place.",
		"PRODUCT_NOT_FOUND":     "This product is no longer sold.", "SESSION_LINK_INVALID": "This link to a checkout is no longer valid: the order was made, or the time for it has passed.", "SESSION_BUSY": "The order of this link is being made. Reload the page in a minute.", "CART_LINK_INVALID": "This link has expired. Here is your current cart.", "CART_FULL": "The cart is full: it can contain 300 different goods.",
		"RATE_LIMITED": "Too many attempts. Please try again in a minute.", "INVALID_CREDENTIALS": "E-mail or password is wrong.",
		"EMAIL_TAKEN": "There is an account with this e-mail. Please sign in.", "EMAIL_INVALID": "This is no e-mail address.",
		"PASSWORD_TOO_SHORT": "The password needs at least 8 characters.", "CODE_INVALID": "The code is wrong or has expired. Please request a new one.",
		"SECOND_FACTOR_REQUIRED": "Please also enter the code that your authenticator app shows.", "SECOND_FACTOR_INVALID": "This code of the app is wrong or was used. Please enter the next one.",
		"RESET_INVALID": "This link has been used or has expired. Please request a new one.", "LAST_OWNER": "You are the only owner of a shop. Please make someone else its owner first.",
		"ROLE_REQUIRED":                "You are a member of a shop: please do this where you manage it.",
		"PAYMENT_PROVIDER_UNAVAILABLE": "The payment provider does not respond. Your order is saved; please try again in a moment.",
		"PAYMENT_PROVIDER_REFUSED":     "The payment provider refused this payment. Your order is saved; please ask the shop or choose another payment method.",
		"PAYMENT_METHOD_INACTIVE":      "The shop no longer offers this payment method. Please choose another.",
		"CANCEL_TOO_LATE":              "This order can no longer be cancelled here. Please write to the shop.",
		"ORDER_CANCELLED":              "This order is cancelled.",
		"IDEMPOTENCY_IN_PROGRESS":      "Your order is being placed. Send it again in a moment to see it; you will not get a second one.",
		"INVALID_REQUEST":              "Please check your entries.", "TEXT_TOO_LONG": "That is too long. Please shorten it.", "other": "That did not work. Please try again.",
	},
	rejected: map[string]string{
		"NOT_FOUND": "There is no such code.", "NOT_STARTED": "This code is not valid yet.", "EXPIRED": "This code has expired.", "EXHAUSTED": "This code has been used up.",
		"BUDGET_SPENT": "The campaign behind this code has ended.", "ALREADY_USED": "You have used this code already.", "MIN_TOTAL": "The cart is too small for this code.",
		"MIN_QUANTITY": "This code needs more goods in the cart.", "NOT_APPLICABLE": "This code does not apply to the items in your cart.", "RATE_LIMITED": "Too many wrong codes. Please try again in a minute.", "NEED_AUTH": "There is no such code. If it is a personal code, please sign in first.",
	},
	FreeDelivery: "free delivery", Coupons: "Your coupons", CouponFrom: "from", CouponUntil: "until", CouponTake: "Use it",
	fromN:   func(n int64) string { return "from " + strconv.FormatInt(n, 10) },
	moreFor: func(more, what string) string { return more + " more for: " + what },
	short:   func(n int64) string { return "Only " + strconv.FormatInt(n, 10) + " left" },
	days: func(n int64) string {
		switch n {
		case 0:
			return "the same day"
		case 1:
			return "within 1 day"
		}
		return "within " + strconv.FormatInt(n, 10) + " days"
	},
	units: func(n int64) string {
		if n == 1 {
			return "1 item"
		}
		return strconv.FormatInt(n, 10) + " items"
	},
}
