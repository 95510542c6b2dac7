package setting

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // the zones are the same on every machine
	"unicode"

	"github.com/google/uuid"

	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/media"
	"vitrine/internal/store/sales"
)

const (
	maxUnpaidHours   = 8760  // a year
	maxCancelMinutes = 43200 // 30 days
	maxReminderHours = 672   // 28 days; carts are kept for 30
)

// check normalizes settings and returns a refusal for the first invalid one. A rule returns the
// field followed by the reason.
func check(s *company.Settings) error {
	tidy(s)
	for _, rule := range []func(*company.Settings) string{checkName, checkPlace, checkLines, checkReach, checkTax, checkInvoices, checkReminder, checkLook, checkFactor, checkAssistants} {
		if wrong := rule(s); wrong != "" {
			at := strings.IndexAny(wrong, " :")
			return errSetting.At(wrong[:at]).With(strings.TrimLeft(wrong[at:], ": "))
		}
	}
	return nil
}

func tidy(s *company.Settings) {
	for _, text := range []*string{
		&s.Name, &s.Contacts.Phone, &s.Contacts.Email, &s.Contacts.Address, &s.Contacts.Hours, &s.Legal.Name, &s.Legal.Details,
		&s.Look.Accent,
		&s.Letters.FromName, &s.Letters.ReplyTo, &s.SEO.Title, &s.SEO.Description,
		&s.Notes.Delivery, &s.Notes.Returns,
	} {
		*text = strings.TrimSpace(*text)
	}
	for i := range s.Socials {
		s.Socials[i] = strings.TrimSpace(s.Socials[i])
	}
}

// checkFactor checks roles that need a second factor.
func checkFactor(s *company.Settings) string {
	for i, role := range s.MembersNeedFactor {
		if !role.Known() || slices.Contains(s.MembersNeedFactor[:i], role) {
			return "members_need_second_factor must be a list of owner, admin and editor, each at most once"
		}
	}
	return ""
}

func checkAssistants(s *company.Settings) string {
	if s.Assistants != "" && !slices.Contains(s.Assistants.Values(), string(s.Assistants)) {
		return "assistants must be off, catalog or checkout"
	}
	return ""
}

func checkName(s *company.Settings) string {
	switch {
	case s.Name == "":
		return "name must not be empty"
	case s.Language != "" && s.Language != "ru" && s.Language != "en":
		return "language must be ru or en"
	}
	return ""
}

// checkPlace checks the time zone and the hours. "Local" is the zone of the machine, not of the
// shop.
func checkPlace(s *company.Settings) string {
	_, err := time.LoadLocation(s.Timezone)
	switch {
	case err != nil, s.Timezone == "", s.Timezone == "Local":
		return "timezone must be a name such as Europe/Berlin"
	case s.CancelUnpaidAfterHours < 0, s.CancelUnpaidAfterHours > maxUnpaidHours:
		return "cancel_unpaid_after_hours must be 0 to 8760"
	case s.BuyerCancelMinutes < 0, s.BuyerCancelMinutes > maxCancelMinutes:
		return "buyer_cancel_minutes must be 0 to 43200"
	}
	return ""
}

// checkLines refuses control characters in fields that become a line of a letter's header.
func checkLines(s *company.Settings) string {
	for name, text := range map[string]string{
		"name": s.Name, "letters.from_name": s.Letters.FromName, "contacts.phone": s.Contacts.Phone, "seo.title": s.SEO.Title,
	} {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return name + " must be one line"
		}
	}
	return ""
}

func checkReach(s *company.Settings) string {
	for name, address := range map[string]string{"contacts.email": s.Contacts.Email, "letters.reply_to": s.Letters.ReplyTo} {
		if address != "" && !isEmail(address) {
			return name + " must be an e-mail address"
		}
	}
	for i, link := range s.Socials {
		if !isLink(link) {
			return fmt.Sprintf("socials[%d] must be a URL that begins with http:// or https://", i)
		}
	}
	return ""
}

// isEmail accepts only bare addresses, because an address with a display name has another form in
// a letter's header.
func isEmail(address string) bool {
	read, err := mail.ParseAddress(address)
	return err == nil && read.Address == address
}

func isLink(link string) bool {
	u, err := url.Parse(link)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}

// checkReminder refuses more hours than a cart is kept. A reminder without hours is off.
func checkReminder(s *company.Settings) string {
	switch r := s.CartReminder; {
	case r == nil:
	case r.AfterHours < 0, r.AfterHours > maxReminderHours:
		return "cart_reminder.after_hours must be 0 to 672"
	case r.Promotion < 0:
		return "cart_reminder.promotion_id must be the id of a promotion, or null"
	case r.AfterHours == 0:
		s.CartReminder = nil
	}
	return ""
}

// checkInvoices allows the characters that are safe in names of files and unambiguous on paper.
func checkInvoices(s *company.Settings) string {
	if strings.Trim(s.InvoicePrefix, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_/.") != "" {
		return "invoice_prefix may have letters of English, digits and - _ / ."
	}
	if strings.HasSuffix(s.InvoicePrefix, "CN") {
		return "invoice_prefix must not end with CN, like those of credit notes"
	}
	return ""
}

// checkCampaign requires a newly set campaign to be one of the shop that gives personal codes.
func checkCampaign(ctx context.Context, tx *store.Tx, before, now company.Settings) error {
	r := now.CartReminder
	if r == nil || r.Promotion == 0 || before.CartReminder != nil && before.CartReminder.Promotion == r.Promotion {
		return nil
	}
	p, err := sales.GetPromotion(ctx, tx.Reader, r.Promotion)
	if errors.Is(err, sales.ErrPromotionNotFound) || err == nil && p.Kind != "personal_coupon" {
		return errSetting.At("cart_reminder.promotion_id").With("the shop has no such personal_coupon")
	}
	return err
}

// checkPictures requires newly set pictures to exist in the library of the shop. A picture
// deleted since it was set does not prevent other changes.
func checkPictures(ctx context.Context, tx *store.Tx, before, now company.Settings) error {
	for name, ids := range map[string][2]*uuid.UUID{
		"logo_id": {before.LogoID, now.LogoID}, "favicon_id": {before.FaviconID, now.FaviconID},
		"seo.og_image_id": {before.SEO.OGImageID, now.SEO.OGImageID},
	} {
		was, id := ids[0], ids[1]
		if id == nil || was != nil && *was == *id {
			continue
		}
		f, err := media.GetFile(ctx, tx.Reader, *id)
		switch {
		case errors.Is(err, media.ErrFileNotFound), err == nil && (f.Type != "image" || f.Status != media.FileStored):
			return errSetting.At(name).With("the library of the shop has no such picture")
		case err != nil:
			return err
		}
	}
	return nil
}
