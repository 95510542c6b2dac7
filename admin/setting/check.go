package setting

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"strings"
	"time"
	_ "time/tzdata" // the zones are the same on every machine
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/media"
)

const maxUnpaidHours = 8760 // a year

// check tidies settings and says which of them makes no sense.
func check(s *company.Settings) error {
	tidy(s)
	for _, rule := range []func(*company.Settings) string{checkName, checkPlace, checkLines, checkReach, checkTax, checkLook} {
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

func checkName(s *company.Settings) string {
	switch {
	case s.Name == "":
		return "name is empty"
	case s.Language != "" && s.Language != "ru" && s.Language != "en":
		return "language is ru or en"
	}
	return ""
}

// checkPlace looks at the zone and at the hours. Local is a zone of the machine,
// not of the shop.
func checkPlace(s *company.Settings) string {
	_, err := time.LoadLocation(s.Timezone)
	switch {
	case err != nil, s.Timezone == "", s.Timezone == "Local":
		return "timezone is a name such as Europe/Berlin"
	case s.Unpaid < 0, s.Unpaid > maxUnpaidHours:
		return "cancel_unpaid_after_hours is 0 to 8760"
	}
	return ""
}

// checkLines looks for line ends in what becomes a line of a letter's head.
func checkLines(s *company.Settings) string {
	for name, text := range map[string]string{
		"name": s.Name, "letters.from_name": s.Letters.FromName, "contacts.phone": s.Contacts.Phone, "seo.title": s.SEO.Title,
	} {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return name + " is one line"
		}
	}
	return ""
}

func checkReach(s *company.Settings) string {
	for name, address := range map[string]string{"contacts.email": s.Contacts.Email, "letters.reply_to": s.Letters.ReplyTo} {
		if address != "" && !isEmail(address) {
			return name + " is no e-mail address"
		}
	}
	for i, link := range s.Socials {
		if !isLink(link) {
			return fmt.Sprintf("socials[%d] is no address that begins with http:// or https://", i)
		}
	}
	return ""
}

// isEmail takes a bare address: one with a name before it reads differently in a
// letter's head.
func isEmail(address string) bool {
	read, err := mail.ParseAddress(address)
	return err == nil && read.Address == address
}

func isLink(link string) bool {
	u, err := url.Parse(link)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}

// checkTax takes the basis points that prices count in (CONTRACT-COMMERCE,
// "Prices").
func checkTax(s *company.Settings) string {
	if s.Tax == nil {
		return ""
	}
	t := s.Tax
	t.Name = strings.TrimSpace(t.Name)
	points := t.Percent * 100
	switch {
	case t.Name == "", utf8.RuneCountInString(t.Name) > 64, strings.ContainsFunc(t.Name, unicode.IsControl):
		return "tax.name is 1 to 64 characters"
	case t.Percent < 0, t.Percent > 100, math.Abs(points-math.Round(points)) > 1e-6:
		return "tax.percent is 0 to 100 with at most two decimals"
	case !t.Included:
		return "tax.included is true: prices contain their tax"
	}
	return ""
}

// checkPictures finds the pictures that are named anew in the library of the shop.
// One that was deleted since keeps nobody from changing the name.
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
			return errSetting.At(name).With("no picture of the shop's library")
		case err != nil:
			return err
		}
	}
	return nil
}
