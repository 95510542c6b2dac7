package render

import (
	"strconv"

	"vitrine/compile/lead"
	"vitrine/internal/shop"
)

var english = words{
	Remark:  englishRemarks,
	Product: englishProduct,
	Shape:   englishShape,
	Find:    englishFinding,
	Lang:    "en",

	SkipLink: "Skip to content", Menu: "Menu", Sections: "Sections", Breadcrumbs: "Breadcrumbs", HomeCrumb: "Home",
	Cart: "Cart", Wishlist: "Wishlist", Account: "Account",

	ShopBySection: "Shop by section", NewIn: "New in", Journal: "From the journal", SeeAll: "See all", Browse: "Browse the shop",

	EmptyListing: "Nothing here yet. Have a look at the other sections.",
	EmptyRubric:  "Nothing has been published here yet.",
	BackHome:     "Back to the shop",
	Previous:     "Previous", Next: "Next", Pages: "Pages", PageNumber: "Page",
	AddToCart: "Add to cart", Added: "Added to cart", Save: "Save for later", Saved: "Saved",
	InStock: "In stock", SoldOut: "Sold out",
	SoldOutNote: "This one has sold out. It may come back: save it for later.",
	PriceOnAsk:  "Price on request",
	AskPrice:    "Ask for the price",
	FromPrice:   "from",
	NoReminders: "No reminders", NoRemindersAsk: "This shop reminds you once of a cart that you left. Press the button to get no more reminders from it.",
	NoRemindersDone: "You get no more reminders from this shop.",
	OldPrice:        "Was", Levels: "Prices by quantity", SKU: "Item no.", Brand: "Brand", CountryOfOrigin: "Country of origin", Weight: "Weight", Grams: "g", Kilograms: "kg", Parts: "In this set", Facts: "Details", Description: "Description", Choose: "Choose",
	Related: "You may also like", Photos: "Photos", Photo: "Photo", NoPhoto: "No photo yet", Video: "Video", Audio: "Audio", View: "View", Pause: "Pause", Play: "Play", QuickView: "Quick view", Whole: "See the whole page", Table: "Table",
	Search: "Search", ShowMore: "Show more", NothingFound: "Nothing was found. Try other words.", By: "By", MoreNews: "More to read", ReadMore: "Read more",
	NotFound:     "We could not find that page",
	NotFoundText: "The address may be mistyped, or the page may have moved. You can continue here.",
	MaybeLike:    "New in the shop",
	Closed:       "Opening soon", ClosedText: "This shop is not open to everyone yet. If you were given a PIN, enter it here.",
	Pin: "PIN", PinWrong: "That PIN is not right. Please try again.",
	pinSeconds: "Attempts are checked one at a time. Please enter it again in %d s.", pinMinutes: "Attempts are checked one at a time. Please enter it again in %d min.",
	PinEnter: "Enter", NoCookies: "This page was loaded over plain http, where your browser stores no cookies for this shop. Carts, sign-ins and passwords work only over https.",
	Shut: "This page is not open to everyone", ShutText: "If you were given a password, enter it here.",
	ShutWho: "It is open to signed-in customers of the shop.", ShutPassword: "Password",
	ShutWrong:  "That password is not right, or it is no longer valid.",
	ShutSignIn: "Sign in", ShutStranger: "You are signed in, but this page is not open to your account.",
	ShutOther: "Sign in with another account", ShutConfirm: "Confirm your e-mail address",
	ShutUnproven: "You are signed in, but your e-mail address is not confirmed. Until it is, the shop cannot tell whether this page is open to you.",
	Total:        "Total", Quantity: "Quantity", Remove: "Remove",
	Less: "One less", More: "One more",
	Preview: "Draft preview: visitors do not see this yet", PreviewLeave: "Leave",
	PreviewApart: "Buyers use this page themselves, so a preview does not show it in a frame. Open the preview in a window of its own.",
	FormSend:     "Send", FormThanks: "Thank you", FormThanksText: "We have received your answers.", FormBack: "Go on", FormClose: "Close",
	FormCheck: "Please check the marked fields.", FormBusy: "Too many people are sending this form right now. Please try again in a minute.",
	FormFailed: "That could not be sent. Please try again.",
	FormMore:   "Read it", FormKept: "Attached: %", FormMB: "MB", FormKB: "KB", FormPoint: ".",
	FormRules: map[lead.Rule]string{
		lead.Required: "Please fill this in.", lead.Type: "This value is not valid here.", lead.Option: "Please choose one of these.",
		lead.MinLength: "At least % characters, please.", lead.MaxLength: "At most % characters, please.", lead.Form: "Please use the requested format.",
		lead.Min: "Not below %.", lead.Max: "Not above %.", lead.MaxSize: "A file of at most %.",
	},
	FormTypes: map[lead.Kind]string{
		lead.Email: "Please write an e-mail address, such as ann@example.com.", lead.Phone: "Please write a phone number, such as +1 202 555 0100.",
		lead.Number: "Please write a number.", lead.Date: "Please write a date.", lead.File: "Files of this kind are not accepted. Please send a picture or a document.",
	},

	Buy: englishBuying, Paper: englishPaper,
	zones: map[shop.Zone]zoneWords{
		shop.ZoneCart:      {"Your cart", "Your cart is empty", "Items you add to the cart are listed here."},
		shop.ZoneWishlist:  {"Wishlist", "Nothing saved yet", "Use “Save for later” on a product to keep it here."},
		shop.ZoneCheckout:  {"Checkout", "There is nothing to order yet", "Put something into your cart first."},
		shop.ZoneAccount:   {"Your account", "", ""},
		shop.ZoneOrders:    {"Your orders", "No orders yet", "Orders you place in this shop are listed here."},
		shop.ZoneDeals:     {"Deals", "No deals right now", "Reduced products are listed here."},
		shop.ZoneDashboard: {"Dashboard", "Nothing to manage here", "The shop is managed elsewhere."},
	},
	months: [12]string{"January", "February", "March", "April", "May", "June",
		"July", "August", "September", "October", "November", "December"},
	products: func(n int) string {
		if n == 1 {
			return "1 product"
		}
		return strconv.Itoa(n) + " products"
	},
}
