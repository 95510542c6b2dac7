package render

import "strconv"

var englishBuying = buyWords{
	Update: "Update", Checkout: "Checkout", GoOn: "Go on shopping", Before: "Goods", Discount: "Discount", Units: "Items", Sets: "In the set",
	Code: "Promo code", CodeApply: "Apply", CodeDrop: "Remove the code", CodeWorks: "Code applied",
	LineShort: "Fewer left than you want", LineOut: "Sold out", CartShort: "Some goods are no longer there in the quantity you chose. Please change it before checkout.",
	Gift: "Gift", Free: "Free", Goods: "Goods", Details: "Details", ToCart: "Add to cart", AddedTitle: "Added to your cart", OpenCart: "Open the cart",

	Contact: "Who orders", Name: "Name", Phone: "Phone", Email: "E-mail", EmailWhy: "For the confirmation", Optional: "optional",
	Delivery: "Delivery", DeliveryFree: "Free", FreeFrom: "free from", NoDelivery: "The shop agrees on delivery with you after the order.",
	Address: "Address", KnownAddress: "One of your addresses", Country: "Country", Region: "Region", City: "City", Street: "Street, house, flat", Postcode: "Postcode",
	AddressNote: "A note for the courier", Comment: "Comment", CommentWhy: "Anything the shop should know", Summary: "Your order", Place: "Place the order",
	Pay: "Payment", PayNote: "You agree on payment with the shop.", Grand: "To pay", Including: "Including", HaveAccount: "You have an account? Sign in",
	PriceWas: "Prices have changed while you were here. It was", PriceIs: "it is now", PriceAgree: "Have a look at your order and place it again if you agree.",

	Order: "Order", Orders: "Your orders", SessionEnded: "Your session has ended, so the shop does not know whose cart this is. With an account, sign in again: your cart and what you typed are there.", OrderMade: "Thank you, your order is placed", OrderMadeText: "The shop has it and will get in touch with you. This page shows how far it is.",
	Placed: "Placed on", Status: "Status", Again: "Order again", Messages: "Messages", MessagesEarlier: "Earlier messages", MessageNone: "Anything to ask about this order? Write to the shop.",
	MessageSend: "Send", MessageYour: "Your message", You: "You", Shop: "Shop", New: "new", PayNow: "Pay", PaidNow: "Your payment has arrived",
	PaidNowText: "Thank you. The shop has been told.", PayWaits: "Waiting for the payment", PayWaitsText: "The provider has not answered yet. This page looks again by itself.",
	PayRefused: "The payment was not made", PayRefusedText: "Nothing was taken. You can try again, or pay in another way.",
	Paid: "Paid", Refunding: "The refund is under way", Refunded: "Refunded", HowToPay: "How to pay", Unpaid: "Not paid yet",
	KeepOrder: "Keep this order", KeepOrderText: "Make an account, and you will find it again on every device.", SignInToSee: "Sign in to see orders of other devices",

	SignIn: "Sign in", SignInText: "Your orders, addresses and saved goods in one place.", Register: "New here", Create: "Create an account", RegisterText: "What is in your cart stays there.",
	Password: "Password", PasswordNew: "New password", PasswordRule: "At least 8 characters", WithCode: "Sign in with a code", CodeSend: "Send me a code",
	CodeSent: "A code was sent to", CodeOf: "Code from the letter", CodeEnter: "Sign in", Forgot: "Forgot your password?",
	ForgotText: "We send you a link to set a new one.", ForgotSend: "Send the link", ForgotSent: "If there is such an account, a link is on its way.",
	ResetTitle: "Set a new password", ResetDone: "Your new password is set.", Profile: "About you", Save: "Save", Saved: "Saved.", Leave: "Sign out",
	Addresses: "Addresses", AddAddress: "Add an address", EditAddress: "Change the address", Default: "Usual address", MakeDefault: "Use this one as a rule",
	Edit: "Change", Remove: "Remove", RemoveAccount: "Remove the account", RemoveText: "Your account, addresses and lists are removed for good. Orders stay with the shop without your name.",
	RemoveSure: "Remove for good", Export: "Download all that is kept about you", Hello: "Hello", AccountGone: "Your account was removed.", Confirm: "Confirm", EmailNew: "New e-mail",
	ChangeEmail: "Change the e-mail", ChangePassword: "Change the password", PasswordNow: "Your password now", OrCode: "or a code from a letter",
	CodeSentNote: "A code is on its way to your e-mail.", EmailAsked: "A code is on its way to the new address. It counts once you enter the code.",
	Choose: "Choose",

	statuses: map[string]string{"new": "Placed", "processing": "In progress", "completed": "Completed", "cancelled": "Cancelled"},
	troubles: map[string]string{
		"PHONE_INVALID": "This is no phone number.", "CONTACT_INVALID": "This is no e-mail address.", "CONTACT_REQUIRED": "Please fill this in.", "HTTPS_REQUIRED": "This works only over https: your browser keeps no cookies here.", "CART_EMPTY": "Your cart is empty.", "COMPANY_UNAVAILABLE": "The shop takes no orders at the moment.",
		"ORDER_TOO_LARGE": "The order is too large. Please split it.", "PRICE_CHANGED": "Prices have changed. Please have a look at the new total.",
		"PROMO_CODE_EXHAUSTED": "Somebody used the last of this code.", "CAMPAIGN_BUDGET_SPENT": "The campaign behind this code has ended.",
		"out_of_stock":     "Some of it has just sold out. Please change the quantity.",
		"ADDRESS_REQUIRED": "This delivery needs an address.", "DELIVERY_NOT_FOUND": "This delivery is no longer offered. Please choose another.",
		"PRODUCT_NOT_FOUND": "This product is no longer sold.", "CART_FULL": "The cart is full: it holds 300 different goods.",
		"RATE_LIMITED": "That was too often. Please try again in a minute.", "INVALID_CREDENTIALS": "E-mail or password is wrong.",
		"EMAIL_TAKEN": "There is an account with this e-mail. Please sign in.", "EMAIL_INVALID": "This is no e-mail address.",
		"PASSWORD_TOO_SHORT": "The password needs at least 8 characters.", "CODE_INVALID": "The code is wrong or over. Ask for another.",
		"RESET_INVALID": "This link was used or is over. Ask for another.", "LAST_OWNER": "You alone own a shop. Make somebody else its owner first.",
		"ROLE_REQUIRED":                "You work in a shop, so this is done where you manage it.",
		"PAYMENT_PROVIDER_UNAVAILABLE": "The payment provider does not answer. Your order is kept; try again in a moment.",
		"PAYMENT_PROVIDER_REFUSED":     "The payment provider did not take this payment. Your order is kept; ask the shop, or pay in another way.",
		"PAYMENT_METHOD_INACTIVE":      "The shop does not offer this way to pay any more. Please choose another.",
		"ORDER_CANCELLED":              "This order is cancelled.",
		"IDEMPOTENCY_IN_PROGRESS":      "Your order is being placed. Send it again in a moment to see it; you will not get a second one.",
		"INVALID_REQUEST":              "Please check what you wrote.", "TEXT_TOO_LONG": "That is too long. Please shorten it.", "other": "That did not work. Please try again.",
	},
	rejected: map[string]string{
		"NOT_FOUND": "There is no such code.", "NOT_STARTED": "This code is not valid yet.", "EXPIRED": "This code is over.", "EXHAUSTED": "This code has been used up.",
		"BUDGET_SPENT": "The campaign behind this code has ended.", "ALREADY_USED": "You have used this code already.", "MIN_TOTAL": "The cart is too small for this code.",
		"MIN_QUANTITY": "This code needs more goods in the cart.", "NOT_APPLICABLE": "This code gives nothing for what is in the cart.", "RATE_LIMITED": "Too many codes were wrong. Please try again in a minute.", "NEED_AUTH": "There is no such code. If it is yours alone, sign in first.",
	},
	FreeDelivery: "free delivery", Coupons: "Your coupons", CouponFrom: "from", CouponUntil: "until", CouponTake: "Use it",
	fromN:   func(n int64) string { return "from " + strconv.FormatInt(n, 10) },
	moreFor: func(more, what string) string { return more + " more for: " + what },
	short:   func(n int64) string { return "Only " + strconv.FormatInt(n, 10) + " left" },
	units: func(n int64) string {
		if n == 1 {
			return "1 item"
		}
		return strconv.FormatInt(n, 10) + " items"
	},
}
