package setting

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
)

type settingsView struct {
	Name      string               `json:"name"`
	Language  string               `json:"language" enum:"ru,en"`
	Timezone  string               `json:"timezone"`
	LogoID    *uuid.UUID           `json:"logo_id"`
	FaviconID *uuid.UUID           `json:"favicon_id"`
	Contacts  shop.Contacts        `json:"contacts"`
	Socials   []string             `json:"socials"`
	Legal     shop.Legal           `json:"legal"`
	Look      shop.Look            `json:"look"`
	Tax       *shop.Taxes          `json:"tax"`
	Invoices  string               `json:"invoice_prefix"`
	Sandbox   bool                 `json:"sandbox"`
	Comments  bool                 `json:"comments"`
	Questions bool                 `json:"questions"`
	Unpaid    int                  `json:"cancel_unpaid_after_hours"` // 0: never
	Cancel    int                  `json:"buyer_cancel_minutes"`      // 0: buyers cannot cancel
	ByHandToo bool                 `json:"cancel_unpaid_manual"`
	Configure bool                 `json:"client_prices"`
	Letters   company.LetterSender `json:"letters"`
	Reminder  *reminderItem        `json:"cart_reminder" doc:"null: none"`
	SEO       company.ShopSEO      `json:"seo"`
	Notes     company.ShopNotes    `json:"notes"` // on product pages
	Helpers   shop.Assistants      `json:"assistants"`
	UpdatedAt time.Time            `json:"updated_at"`
	Factor    []shop.Role          `json:"members_need_second_factor" doc:"roles whose members need a second factor"`
}

func view(s company.Settings) settingsView {
	v := settingsView{
		Name: s.Name, Language: shop.Language(s.Language, s.Currency), Timezone: s.Timezone, LogoID: s.LogoID, FaviconID: s.FaviconID,
		Contacts: s.Contacts, Socials: s.Socials, Legal: s.Legal, Look: s.Look, Tax: s.Tax, Invoices: s.InvoicePrefix, Sandbox: s.Sandbox, Comments: s.Comments,
		Questions: s.Questions, Unpaid: s.CancelUnpaidAfterHours, Cancel: s.BuyerCancelMinutes, ByHandToo: s.CancelUnpaidManual, Configure: s.ClientPrices, Letters: s.Letters, Reminder: viewReminder(s.CartReminder), SEO: s.SEO, Notes: s.Notes, UpdatedAt: s.UpdatedAt.UTC(),
		Factor: slices.Clone(s.MembersNeedFactor), Helpers: s.Assistants.Or(),
	}
	if v.Socials == nil {
		v.Socials = []string{}
	}
	if v.Factor == nil {
		v.Factor = []shop.Role{}
	}
	return v
}

func (s *Settings) settings(ctx context.Context, c *api.Call, _ api.None) (api.Result[settingsView], error) {
	kept, err := company.GetSettings(ctx, s.store.Shop(c.Company))
	return api.Wrap(view(kept)), err
}

type settingsChange struct {
	api.Basis
	settingsItem
}

// change replaces the settings that were sent, each as a whole.
func (s *Settings) change(ctx context.Context, c *api.Call, in settingsChange) (out api.Result[settingsView], err error) {
	var kept company.Settings
	err = s.store.Write(ctx, c.Company, func(tx *store.Tx) (err error) {
		if kept, err = company.LockSettings(ctx, tx); err != nil {
			return err
		}
		if err := tx.CheckBasis(kept.UpdatedAt); err != nil {
			return err
		}
		before := kept
		in.apply(&kept)
		if err := check(&kept); err != nil {
			return err
		}
		if len(kept.MembersNeedFactor) > 0 && !slices.Equal(before.MembersNeedFactor, kept.MembersNeedFactor) && !c.HasFactor {
			return api.ErrFactorMissing.With("members_need_second_factor: add a second factor yourself first")
		}
		if err := checkPictures(ctx, tx, before, kept); err != nil {
			return err
		}
		if err := checkCampaign(ctx, tx, before, kept); err != nil {
			return err
		}
		return company.SaveSettings(ctx, tx, &kept)
	})
	return api.Wrap(view(kept)), err
}
