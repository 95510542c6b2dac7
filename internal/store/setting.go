package store

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"vitrine/internal/shop"
)

// Settings is what the people of a shop may change of it (CONTRACT-COMMERCE,
// "Shop settings"). Name and the hours are columns, the rest is one JSON object.
type Settings struct {
	Name      string       `json:"-"`
	Language  string       `json:"language,omitempty"` // empty: that of the currency
	Timezone  string       `json:"timezone"`
	LogoID    *uuid.UUID   `json:"logo_id,omitempty"`
	FaviconID *uuid.UUID   `json:"favicon_id,omitempty"`
	Contacts  ShopContacts `json:"contacts"`
	Socials   []string     `json:"socials,omitempty"`
	Legal     ShopLegal    `json:"legal"`
	Tax       *ShopTax     `json:"tax,omitempty"` // nil: receipts say nothing of it
	Sandbox   bool         `json:"sandbox"`       // payments that are played, in an open shop too
	Comments  bool         `json:"comments"`
	Questions bool         `json:"questions"`
	Unpaid    int          `json:"-"` // hours until an unpaid order is cancelled; 0: never
	Letters   LetterSender `json:"letters"`
	SEO       ShopSEO      `json:"seo"`
	Notes     ShopNotes    `json:"notes"`
	Currency  string       `json:"-"` // for the defaults; not changed here
}

// ShopContacts is how buyers reach a shop.
type ShopContacts struct {
	Phone   string `json:"phone"`
	Email   string `json:"email"`
	Address string `json:"address"`
	Hours   string `json:"hours"`
}

// ShopLegal is who sells, as the law wants it said.
type ShopLegal struct {
	Name    string `json:"name"`
	Details string `json:"details"`
}

// ShopTax is the tax that prices contain.
type ShopTax struct {
	Name     string  `json:"name"`
	Percent  float64 `json:"percent"` // at most two decimals
	Included bool    `json:"included"`
}

// LetterSender is whom letters of a shop come from.
type LetterSender struct {
	FromName string `json:"from_name"`
	ReplyTo  string `json:"reply_to"`
}

// ShopNotes is what product pages say of every product: plain text, an empty line
// starts a paragraph; empty: nothing.
type ShopNotes struct {
	Delivery string `json:"delivery"`
	Returns  string `json:"returns"`
}

// ShopSEO is what pages say to search engines that say nothing themselves.
type ShopSEO struct {
	Title       string     `json:"title"`
	Description string     `json:"description"`
	OGImageID   *uuid.UUID `json:"og_image_id"`
	NoIndex     bool       `json:"noindex"`
}

// Settings reads those of the shop, with the defaults of what nobody changed.
func (r Reader) Settings(ctx context.Context) (Settings, error) { return r.settings(ctx, "") }

// LockSettings reads them for a change.
func (tx *Tx) LockSettings(ctx context.Context) (Settings, error) {
	return tx.settings(ctx, " FOR NO KEY UPDATE")
}

func (r Reader) settings(ctx context.Context, lock string) (Settings, error) {
	s := Settings{Timezone: "UTC", Comments: true, Questions: true}
	var rest []byte
	err := r.q.QueryRow(ctx, `
		SELECT name, cancel_unpaid_after_hours, currency, settings FROM company WHERE id = $1`+lock, r.Company).
		Scan(&s.Name, &s.Unpaid, &s.Currency, &rest)
	if noRow(err) {
		return s, ErrShopNotFound
	}
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(rest, &s)
}

// SaveSettings replaces the settings. Pages of the shop are made anew: its name
// and language stand on all of them.
func (tx *Tx) SaveSettings(ctx context.Context, s Settings) error {
	tx.Changed(shop.Key{Kind: shop.KeyShop})
	_, err := tx.q.Exec(ctx, `
		UPDATE company SET name = $2, cancel_unpaid_after_hours = $3, settings = $4 WHERE id = $1`, tx.Company, s.Name, s.Unpaid, s)
	return err
}
