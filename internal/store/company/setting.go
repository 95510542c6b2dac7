package company

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// Settings are what the staff of a shop may change (CONTRACT-COMMERCE, "Shop settings").
// Name and the hours are columns, the rest is one JSON object.
type Settings struct {
	Name                   string          `json:"-"`
	Language               string          `json:"language,omitempty"` // empty: the default of the currency
	Timezone               string          `json:"timezone"`
	LogoID                 *uuid.UUID      `json:"logo_id,omitempty"`
	FaviconID              *uuid.UUID      `json:"favicon_id,omitempty"`
	Contacts               shop.Contacts   `json:"contacts"`
	Socials                []string        `json:"socials,omitempty"`
	Legal                  shop.Legal      `json:"legal"`
	Look                   shop.Look       `json:"look"`
	Tax                    *shop.Taxes     `json:"tax,omitempty"`
	InvoicePrefix          string          `json:"invoice_prefix,omitempty"` // of the numbers of invoices and credit notes
	Sandbox                bool            `json:"sandbox"`                  // simulated payments, even in an open shop
	Comments               bool            `json:"comments"`
	Questions              bool            `json:"questions"`
	BuyerCancelMinutes     int             `json:"buyer_cancel_minutes"` // for which buyers may cancel a new order; 0: they cannot
	CancelUnpaidManual     bool            `json:"cancel_unpaid_manual"` // also cancel orders paid manually
	ClientPrices           bool            `json:"client_prices"`        // default of products that leave configurable unset
	CancelUnpaidAfterHours int             `json:"-"`                    // hours until an unpaid order is cancelled; 0: never
	Letters                LetterSender    `json:"letters"`
	CartReminder           *CartReminder   `json:"cart_reminder,omitempty"` // nil: no reminders
	SEO                    ShopSEO         `json:"seo"`
	MembersNeedFactor      []shop.Role     `json:"members_need_second_factor,omitempty"` // roles
	Notes                  ShopNotes       `json:"notes"`
	Assistants             shop.Assistants `json:"assistants,omitempty"` // empty: shop.AssistantsCheckout
	Currency               string          `json:"-"`                    // for the defaults; not changed here

	UpdatedAt time.Time `json:"-"`
}

// CartReminder decides who is reminded of a cart that was left.
type CartReminder struct {
	AfterHours int              `json:"after_hours"`  // after the last change of the cart
	Promotion  shop.PromotionID `json:"promotion_id"` // campaign of which the letter has a personal code; 0: none
	AskConsent bool             `json:"ask_consent"`  // only buyers who agreed at the checkout get a letter
}

// LetterSender is the sender of a shop's letters.
type LetterSender struct {
	FromName string `json:"from_name"`
	ReplyTo  string `json:"reply_to"`
}

// ShopNotes are texts that all product pages show: plain text in which an empty line starts
// a paragraph; empty: nothing.
type ShopNotes struct {
	Delivery string `json:"delivery"`
	Returns  string `json:"returns"`
}

// ShopSEO holds the search engine fields of pages that have none themselves.
type ShopSEO struct {
	Title       string     `json:"title"`
	Description string     `json:"description"`
	OGImageID   *uuid.UUID `json:"og_image_id"`
	NoIndex     bool       `json:"noindex"`
}

// GetSettings reads the settings of the shop, with defaults for those never set.
func GetSettings(ctx context.Context, r store.Reader) (Settings, error) { return settings(ctx, r, "") }

// LockSettings reads and locks the settings.
func LockSettings(ctx context.Context, tx *store.Tx) (Settings, error) {
	return settings(ctx, tx.Reader, " FOR NO KEY UPDATE")
}

func settings(ctx context.Context, r store.Reader, lock string) (Settings, error) {
	s := Settings{Timezone: "UTC", Comments: true, Questions: true}
	var others []byte
	err := r.DB.QueryRow(ctx, `
		SELECT name, cancel_unpaid_after_hours, currency, settings, settings_at FROM company WHERE id = $1`+lock, r.Company).
		Scan(&s.Name, &s.CancelUnpaidAfterHours, &s.Currency, &others, &s.UpdatedAt)
	if store.NoRow(err) {
		return s, store.ErrShopNotFound
	}
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(others, &s)
}

// SaveSettings replaces the settings. All pages of the shop are rendered again: its name
// and language are on each of them.
func SaveSettings(ctx context.Context, tx *store.Tx, s *Settings) error {
	tx.Changed(shop.Key{Kind: shop.KeyShop})
	return tx.DB.QueryRow(ctx, `
		UPDATE company SET name = $2, cancel_unpaid_after_hours = $3, settings = $4, settings_at = now() WHERE id = $1 RETURNING settings_at`,
		tx.Company, s.Name, s.CancelUnpaidAfterHours, s).Scan(&s.UpdatedAt)
}

// Face reads the settings that all pages show. A deleted picture is left out.
func Face(ctx context.Context, r store.Reader) (face shop.Face, err error) {
	var others, pictures []byte
	err = r.DB.QueryRow(ctx, `
		SELECT settings, (SELECT coalesce(jsonb_object_agg(f.id, jsonb_build_object('ID', f.id, 'Path', f.path, 'Width', f.width, 'Height', f.height)), '{}')
			FROM media_file f WHERE f.company_id = c.id AND f.deleted_at IS NULL AND f.status = 'stored' AND f.id::text IN (`+media.FacePictures+`))
		FROM company c WHERE c.id = $1`, r.Company).Scan(&others, &pictures)
	if store.NoRow(err) {
		return face, store.ErrShopNotFound
	}
	if err != nil {
		return face, err
	}
	var s Settings
	if err := json.Unmarshal(others, &s); err != nil {
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
		Legal: s.Legal, Look: s.Look, Taxes: s.Tax, Title: s.SEO.Title, Description: s.SEO.Description, NoIndex: s.SEO.NoIndex, Assistants: s.Assistants,
	}, nil
}
