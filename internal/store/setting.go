package store

import (
	"context"
	"encoding/json"
	"math"

	"github.com/google/uuid"

	"vitrine/internal/shop"
)

// Settings is what the people of a shop may change of it (CONTRACT-COMMERCE,
// "Shop settings"). Name and the hours are columns, the rest is one JSON object.
type Settings struct {
	Name      string        `json:"-"`
	Language  string        `json:"language,omitempty"` // empty: that of the currency
	Timezone  string        `json:"timezone"`
	LogoID    *uuid.UUID    `json:"logo_id,omitempty"`
	FaviconID *uuid.UUID    `json:"favicon_id,omitempty"`
	Contacts  shop.Contacts `json:"contacts"`
	Socials   []string      `json:"socials,omitempty"`
	Legal     shop.Legal    `json:"legal"`
	Look      shop.Look     `json:"look"`
	Tax       *ShopTax      `json:"tax,omitempty"` // nil: receipts say nothing of it
	Sandbox   bool          `json:"sandbox"`       // payments that are played, in an open shop too
	Comments  bool          `json:"comments"`
	Questions bool          `json:"questions"`
	ByHandToo bool          `json:"cancel_unpaid_manual"` // also orders that are paid by hand
	Configure bool          `json:"client_prices"`        // of products that leave configurable open
	Unpaid    int           `json:"-"`                    // hours until an unpaid order is cancelled; 0: never
	Letters   LetterSender  `json:"letters"`
	SEO       ShopSEO       `json:"seo"`
	Notes     ShopNotes     `json:"notes"`
	Currency  string        `json:"-"` // for the defaults; not changed here
}

// ShopTax is the tax that prices contain.
type ShopTax struct {
	Name     string  `json:"name"`
	Percent  float64 `json:"percent"` // at most two decimals
	Included bool    `json:"included"`
}

// Face is the tax as pages and letters say it.
func (t *ShopTax) Face() shop.Tax {
	if t == nil {
		return shop.Tax{}
	}
	return shop.Tax{Name: t.Name, Points: int64(math.Round(t.Percent * 100))}
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

// Face reads what all pages show of the settings. A picture that was deleted since
// is none.
func (r Reader) Face(ctx context.Context) (face shop.Face, err error) {
	var rest, pictures []byte
	err = r.q.QueryRow(ctx, `
		SELECT settings, (SELECT coalesce(jsonb_object_agg(f.id, jsonb_build_object('ID', f.id, 'Path', f.path, 'Width', f.width, 'Height', f.height)), '{}')
			FROM media_file f WHERE f.company_id = c.id AND f.deleted_at IS NULL AND f.status = 'stored' AND f.id::text IN (`+facePictures+`))
		FROM company c WHERE c.id = $1`, r.Company).Scan(&rest, &pictures)
	if noRow(err) {
		return face, ErrShopNotFound
	}
	if err != nil {
		return face, err
	}
	var s Settings
	if err := json.Unmarshal(rest, &s); err != nil {
		return face, err
	}
	var found map[uuid.UUID]shop.Picture
	if err := json.Unmarshal(pictures, &found); err != nil {
		return face, err
	}
	pick := func(id *uuid.UUID) (p shop.Picture) {
		if id != nil {
			if p = found[*id]; p.Path != "" {
				p.Path = shop.FileURL(p.Path)
			}
		}
		return p
	}
	return shop.Face{
		Logo: pick(s.LogoID), Icon: pick(s.FaviconID), Card: pick(s.SEO.OGImageID), Contacts: s.Contacts, Socials: s.Socials,
		Legal: s.Legal, Look: s.Look, Tax: s.Tax.Face(), Title: s.SEO.Title, Description: s.SEO.Description, NoIndex: s.SEO.NoIndex,
	}, nil
}

// facePictures are the files that settings name, of a company c.
const facePictures = `c.settings->>'logo_id', c.settings->>'favicon_id', c.settings#>>'{seo,og_image_id}'`

// faceChanged notes that a file of the library has another address or none any
// more: where settings name it, it stands on all pages.
func (tx *Tx) faceChanged(ctx context.Context, id uuid.UUID) error {
	named := false
	err := tx.q.QueryRow(ctx, `SELECT coalesce($2 IN (`+facePictures+`), false) FROM company c WHERE c.id = $1`, tx.Company, id.String()).Scan(&named)
	if named {
		tx.changed(shop.Key{Kind: shop.KeyShop}) // settings have no draft
	}
	return err
}
