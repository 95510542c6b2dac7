package setting

import (
	"encoding/json"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store/company"
)

// settingsItem holds settings as sent by the client; absent ones stay unchanged.
type settingsItem struct {
	Name      *string          `json:"name" len:"255" refuse:"SETTINGS_INVALID"`
	Language  *string          `json:"language" enum:"ru,en" len:"8" refuse:"SETTINGS_INVALID"`
	Timezone  *string          `json:"timezone" len:"64" refuse:"SETTINGS_INVALID"`
	LogoID    pictureRef       `json:"logo_id"`
	FaviconID pictureRef       `json:"favicon_id"`
	Contacts  *contactsItem    `json:"contacts"`
	Socials   *[]string        `json:"socials" max:"20" len:"2000" refuse:"SETTINGS_INVALID"`
	Legal     *legalItem       `json:"legal"`
	Look      *lookItem        `json:"look"`
	Tax       optionalTax      `json:"tax"`
	Invoices  *string          `json:"invoice_prefix" len:"20" refuse:"SETTINGS_INVALID" doc:"begins the numbers of invoices and credit notes: letters, digits, - _ / ."`
	Sandbox   *bool            `json:"sandbox"`
	Comments  *bool            `json:"comments"`
	Questions *bool            `json:"questions"`
	Unpaid    *int             `json:"cancel_unpaid_after_hours"`
	Cancel    *int             `json:"buyer_cancel_minutes" doc:"for which buyers may cancel a new order that was not shipped, up to 43200; 0: they cannot"`
	ByHandToo *bool            `json:"cancel_unpaid_manual" doc:"also cancel unpaid orders with the payment method manual"`
	Configure *bool            `json:"client_prices" doc:"clients may set the price of a line (data.price.total) if the product's configurable is null"`
	Letters   *lettersItem     `json:"letters"`
	Reminder  optionalReminder `json:"cart_reminder" doc:"one letter about a cart that was left: {after_hours (1 to 672), promotion_id, ask_consent}; null or 0 hours: none"`
	SEO       *searchingItem   `json:"seo"`
	Notes     *notesItem       `json:"notes"`
	Helpers   *shop.Assistants `json:"assistants" len:"16" refuse:"SETTINGS_INVALID" doc:"what programs that buy for people may do: off, catalog (find products) or checkout (and buy them)"`
	Factor    *[]shop.Role     `json:"members_need_second_factor" max:"3" len:"8" refuse:"SETTINGS_INVALID" doc:"roles (owner, admin, editor) whose members need a second factor in all calls of the shop; whoever sets it must have one"`
}

type contactsItem struct {
	Phone   string `json:"phone" len:"64" refuse:"SETTINGS_INVALID"`
	Email   string `json:"email" len:"254" refuse:"SETTINGS_INVALID"`
	Address string `json:"address" len:"500" refuse:"SETTINGS_INVALID"`
	Hours   string `json:"hours" len:"255" refuse:"SETTINGS_INVALID"`
}

type legalItem struct {
	Name    string `json:"name" len:"255" refuse:"SETTINGS_INVALID"`
	Details string `json:"details" len:"4000" refuse:"SETTINGS_INVALID"`
}

// lookItem is the look of pages; an empty field means the storefront's default.
type lookItem struct {
	Accent      string      `json:"accent" len:"16" refuse:"SETTINGS_INVALID" doc:"#rrggbb, with a contrast of at least 3 to white; text on it is black or white"`
	Radius      *int        `json:"radius" doc:"corner radius of cards and buttons in pixels, 0 to 32, or null"`
	TextFont    shop.Font   `json:"text_font" blank:"the default" len:"16" refuse:"SETTINGS_INVALID"`
	HeadingFont shop.Font   `json:"heading_font" blank:"the default" len:"16" refuse:"SETTINGS_INVALID" doc:"empty: same as text_font"`
	ColorScheme shop.Scheme `json:"color_scheme" blank:"the default" len:"8" refuse:"SETTINGS_INVALID" doc:"auto: the visitor's choice"`
}

type lettersItem struct {
	FromName string `json:"from_name" len:"100" refuse:"SETTINGS_INVALID"`
	ReplyTo  string `json:"reply_to" len:"254" refuse:"SETTINGS_INVALID"`
}

type notesItem struct {
	Delivery string `json:"delivery" len:"4000" refuse:"SETTINGS_INVALID" doc:"plain text on product pages, next to the delivery options"`
	Returns  string `json:"returns" len:"4000" refuse:"SETTINGS_INVALID" doc:"plain text on product pages"`
}

type searchingItem struct {
	Title       string     `json:"title" len:"255" refuse:"SETTINGS_INVALID"`
	Description string     `json:"description" len:"1000" refuse:"SETTINGS_INVALID"`
	OGImageID   pictureRef `json:"og_image_id"`
	NoIndex     bool       `json:"noindex"`
}

// pictureRef is the id of a file: absent leaves it unchanged, null and an empty string clear it.
type pictureRef struct {
	Set bool       `json:"-"`
	ID  *uuid.UUID `json:"-"`
}

// UnmarshalJSON accepts a UUID, an empty string or null.
func (p *pictureRef) UnmarshalJSON(b []byte) error {
	p.Set = true
	if s := string(b); s == "null" || s == `""` {
		return nil
	}
	if json.Unmarshal(b, &p.ID) != nil {
		return errSetting.With("expected a file id: a UUID, or null")
	}
	return nil
}

// optionalReminder are the reminders of carts: absent leaves them unchanged, null and 0 hours end them.
type optionalReminder struct {
	Set      bool          `json:"-"`
	Reminder *reminderItem `json:"-"`
}

// reminderItem is company.CartReminder as it is sent and answered.
type reminderItem struct {
	AfterHours int               `json:"after_hours" doc:"hours after the last change of the cart"`
	Promotion  *shop.PromotionID `json:"promotion_id" doc:"campaign of which the letter has a personal code; null or 0: none"`
	AskConsent bool              `json:"ask_consent" doc:"only buyers who agreed at the checkout get a letter"`
}

// reminder returns the reminders as they are stored: campaign 0 is none.
func (i *reminderItem) reminder() *company.CartReminder {
	if i == nil {
		return nil
	}
	r := &company.CartReminder{AfterHours: i.AfterHours, AskConsent: i.AskConsent}
	api.Set(&r.Promotion, i.Promotion)
	if *r == (company.CartReminder{}) {
		return nil
	}
	return r
}

func viewReminder(r *company.CartReminder) *reminderItem {
	if r == nil {
		return nil
	}
	i := &reminderItem{AfterHours: r.AfterHours, AskConsent: r.AskConsent}
	if r.Promotion != 0 {
		i.Promotion = &r.Promotion
	}
	return i
}

// UnmarshalJSON accepts the reminders of a shop, or null.
func (o *optionalReminder) UnmarshalJSON(b []byte) error {
	o.Set = true
	if json.Unmarshal(b, &o.Reminder) != nil {
		return errSetting.With("expected {after_hours, promotion_id, ask_consent} or null")
	}
	return nil
}

// apply applies the sent settings.
func (i settingsItem) apply(s *company.Settings) {
	api.Set(&s.Name, i.Name)
	api.Set(&s.Language, i.Language)
	api.Set(&s.Timezone, i.Timezone)
	api.Set(&s.Socials, i.Socials)
	api.Set(&s.Contacts, (*shop.Contacts)(i.Contacts))
	api.Set(&s.Legal, (*shop.Legal)(i.Legal))
	if l := i.Look; l != nil {
		s.Look = shop.Look{Accent: l.Accent, Radius: l.Radius, Text: l.TextFont, Heading: l.HeadingFont, Scheme: l.ColorScheme}
	}
	api.Set(&s.Letters, (*company.LetterSender)(i.Letters))
	api.Set(&s.Notes, (*company.ShopNotes)(i.Notes))
	api.Set(&s.InvoicePrefix, i.Invoices)
	api.Set(&s.Sandbox, i.Sandbox)
	api.Set(&s.Comments, i.Comments)
	api.Set(&s.Questions, i.Questions)
	api.Set(&s.CancelUnpaidAfterHours, i.Unpaid)
	api.Set(&s.BuyerCancelMinutes, i.Cancel)
	api.Set(&s.CancelUnpaidManual, i.ByHandToo)
	api.Set(&s.ClientPrices, i.Configure)
	api.Set(&s.MembersNeedFactor, i.Factor)
	api.Set(&s.Assistants, i.Helpers)
	if i.LogoID.Set {
		s.LogoID = i.LogoID.ID
	}
	if i.FaviconID.Set {
		s.FaviconID = i.FaviconID.ID
	}
	if i.Tax.Set {
		s.Tax = i.Tax.Tax
	}
	if i.Reminder.Set {
		s.CartReminder = i.Reminder.Reminder.reminder()
	}
	if i.SEO != nil {
		s.SEO = company.ShopSEO{Title: i.SEO.Title, Description: i.SEO.Description, OGImageID: i.SEO.OGImageID.ID, NoIndex: i.SEO.NoIndex}
	}
}
