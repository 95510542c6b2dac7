package setting

import (
	"encoding/json"

	"github.com/google/uuid"

	"vitrine/internal/shop"
	"vitrine/internal/store/company"
)

// settingsItem is settings as they are sent; what is absent stays.
type settingsItem struct {
	Name      *string        `json:"name" len:"255" refuse:"SETTINGS_INVALID"`
	Language  *string        `json:"language" enum:"ru,en" len:"8" refuse:"SETTINGS_INVALID"`
	Timezone  *string        `json:"timezone" len:"64" refuse:"SETTINGS_INVALID"`
	LogoID    pictureRef     `json:"logo_id"`
	FaviconID pictureRef     `json:"favicon_id"`
	Contacts  *contactsItem  `json:"contacts"`
	Socials   *[]string      `json:"socials" max:"20" len:"2000" refuse:"SETTINGS_INVALID"`
	Legal     *legalItem     `json:"legal"`
	Look      *lookItem      `json:"look"`
	Tax       optionalTax    `json:"tax"`
	Sandbox   *bool          `json:"sandbox"`
	Comments  *bool          `json:"comments"`
	Questions *bool          `json:"questions"`
	Unpaid    *int           `json:"cancel_unpaid_after_hours"`
	ByHandToo *bool          `json:"cancel_unpaid_manual" doc:"cancel unpaid orders of the payment method manual too"`
	Configure *bool          `json:"client_prices" doc:"a client may name the price of a line (data.price.total) where the product's configurable is null"`
	Letters   *lettersItem   `json:"letters"`
	SEO       *searchingItem `json:"seo"`
	Notes     *notesItem     `json:"notes"`
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

// lookItem is the look of pages; an empty field is the storefront's own.
type lookItem struct {
	Accent      string      `json:"accent" len:"16" refuse:"SETTINGS_INVALID" doc:"#rrggbb, with a contrast of at least 3 to white; words on it are black or white"`
	Radius      *int        `json:"radius" doc:"pixels of the corners of cards and buttons, 0 to 32, or null"`
	TextFont    shop.Font   `json:"text_font" enum:"system,humanist,geometric,rounded,serif,old-style,slab,typewriter,handwritten" len:"16" refuse:"SETTINGS_INVALID"`
	HeadingFont shop.Font   `json:"heading_font" enum:"system,humanist,geometric,rounded,serif,old-style,slab,typewriter,handwritten" len:"16" refuse:"SETTINGS_INVALID" doc:"empty: as text_font"`
	ColorScheme shop.Scheme `json:"color_scheme" enum:"auto,light,dark" len:"8" refuse:"SETTINGS_INVALID" doc:"auto: the visitor's choice"`
}

type lettersItem struct {
	FromName string `json:"from_name" len:"100" refuse:"SETTINGS_INVALID"`
	ReplyTo  string `json:"reply_to" len:"254" refuse:"SETTINGS_INVALID"`
}

type notesItem struct {
	Delivery string `json:"delivery" len:"4000" refuse:"SETTINGS_INVALID" doc:"plain text on product pages, beside the ways of delivery"`
	Returns  string `json:"returns" len:"4000" refuse:"SETTINGS_INVALID" doc:"plain text on product pages"`
}

type searchingItem struct {
	Title       string     `json:"title" len:"255" refuse:"SETTINGS_INVALID"`
	Description string     `json:"description" len:"1000" refuse:"SETTINGS_INVALID"`
	OGImageID   pictureRef `json:"og_image_id"`
	NoIndex     bool       `json:"noindex"`
}

// pictureRef reads the id of a file: absent leaves it, null and an empty text
// clear it.
type pictureRef struct {
	Set bool       `json:"-"`
	ID  *uuid.UUID `json:"-"`
}

// UnmarshalJSON reads a uuid, an empty text or null.
func (p *pictureRef) UnmarshalJSON(b []byte) error {
	p.Set = true
	if s := string(b); s == "null" || s == `""` {
		return nil
	}
	if json.Unmarshal(b, &p.ID) != nil {
		return errSetting.With("a file id is a UUID, or null")
	}
	return nil
}

// optionalTax reads a tax: absent leaves it, null clears it.
type optionalTax struct {
	Set bool             `json:"-"`
	Tax *company.ShopTax `json:"-"`
}

// UnmarshalJSON reads a tax that prices contain unless it says otherwise, or null.
func (o *optionalTax) UnmarshalJSON(b []byte) error {
	o.Set = true
	if string(b) == "null" {
		return nil
	}
	o.Tax = &company.ShopTax{Included: true}
	if json.Unmarshal(b, o.Tax) != nil {
		return errSetting.With("{name, percent, included} or null")
	}
	return nil
}

// onto replaces the settings that were sent.
func (i settingsItem) onto(s *company.Settings) {
	put(&s.Name, i.Name)
	put(&s.Language, i.Language)
	put(&s.Timezone, i.Timezone)
	put(&s.Socials, i.Socials)
	put(&s.Contacts, (*shop.Contacts)(i.Contacts))
	put(&s.Legal, (*shop.Legal)(i.Legal))
	if l := i.Look; l != nil {
		s.Look = shop.Look{Accent: l.Accent, Radius: l.Radius, Text: l.TextFont, Heading: l.HeadingFont, Scheme: l.ColorScheme}
	}
	put(&s.Letters, (*company.LetterSender)(i.Letters))
	put(&s.Notes, (*company.ShopNotes)(i.Notes))
	put(&s.Sandbox, i.Sandbox)
	put(&s.Comments, i.Comments)
	put(&s.Questions, i.Questions)
	put(&s.Unpaid, i.Unpaid)
	put(&s.ByHandToo, i.ByHandToo)
	put(&s.Configure, i.Configure)
	if i.LogoID.Set {
		s.LogoID = i.LogoID.ID
	}
	if i.FaviconID.Set {
		s.FaviconID = i.FaviconID.ID
	}
	if i.Tax.Set {
		s.Tax = i.Tax.Tax
	}
	if i.SEO != nil {
		s.SEO = company.ShopSEO{Title: i.SEO.Title, Description: i.SEO.Description, OGImageID: i.SEO.OGImageID.ID, NoIndex: i.SEO.NoIndex}
	}
}
