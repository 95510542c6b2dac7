package render

import (
	"html/template"
	"net/mail"
	"net/url"
	"strings"

	"vitrine/internal/shop"
)

// ShopLogo is the picture of the shop's name; its Path is empty if there is none.
func (v *view) ShopLogo() Image { return imageOf(v.Shop.Face.Logo, v.Shop.Name) }

// imageOf converts a picture of the settings.
func imageOf(p shop.Picture, alt string) Image {
	return Image{Path: p.Path, Alt: alt, Width: p.Width, Height: p.Height}
}

// Contacts returns the contacts from the settings.
func (v *view) Contacts() shop.Contacts { return v.Shop.Face.Contacts }

// Reachable reports whether there is a contact to show.
func (v *view) Reachable() bool { return v.Shop.Face.Contacts != shop.Contacts{} }

// Legal returns the legal details of the seller.
func (v *view) Legal() shop.Legal { return v.Shop.Face.Legal }

// AskPrice is the address where a visitor can ask for the price of the page's product: its
// questions page if it accepts questions, else the shop's email or phone; empty if the shop
// has neither.
func (v *view) AskPrice() template.URL {
	p, ok := v.Page.(*ProductPage)
	contacts := v.Shop.Face.Contacts
	switch {
	case ok && p.Remarks.TakesQuestions:
		return template.URL(shop.QuestionPrefix + p.Product.ID.String())
	case ok && contacts.Email != "":
		return template.URL("mailto:" + url.PathEscape(contacts.Email) + "?subject=" + url.PathEscape(p.Product.Name))
	}
	return v.PhoneURL(contacts.Phone)
}

// PhoneURL returns the tel: URL of a phone number as people write it; "" without digits.
func (v *view) PhoneURL(phone string) template.URL {
	var b strings.Builder
	for _, r := range phone {
		if r >= '0' && r <= '9' || r == '+' && b.Len() == 0 {
			b.WriteRune(r)
		}
	}
	if number := b.String(); strings.Trim(number, "+") != "" {
		return template.URL("tel:" + number)
	}
	return ""
}

// MailURL returns the mailto: URL of an email address; "" if the address is invalid.
func (v *view) MailURL(email string) template.URL {
	read, err := mail.ParseAddress(email)
	if err != nil || read.Address != email || strings.ContainsAny(email, "<>\"'`:?&%/\\ ") {
		return ""
	}
	return template.URL("mailto:" + email)
}

// Socials are the links to the shop's other presences, named after the site.
func (v *view) Socials() []Crumb {
	var out []Crumb
	for _, address := range v.Shop.Face.Socials {
		u, err := url.Parse(address)
		if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil {
			out = append(out, Crumb{Name: placeOf(u.Hostname()), Path: address})
		}
	}
	return out
}

// places maps well-known hosts to names; other hosts are shown by their host name.
var places = map[string]string{
	"t.me": "Telegram", "telegram.me": "Telegram", "instagram.com": "Instagram", "facebook.com": "Facebook", "fb.com": "Facebook", "youtube.com": "YouTube",
	"youtu.be": "YouTube", "tiktok.com": "TikTok", "x.com": "X", "twitter.com": "X", "wa.me": "WhatsApp", "whatsapp.com": "WhatsApp", "vk.com": "VK",
	"vk.ru": "VK", "ok.ru": "OK", "linkedin.com": "LinkedIn", "pinterest.com": "Pinterest", "threads.net": "Threads", "threads.com": "Threads", "dzen.ru": "Дзен",
	"rutube.ru": "Rutube", "github.com": "GitHub", "bsky.app": "Bluesky", "viber.com": "Viber", "etsy.com": "Etsy",
}

// placeOf names a host by the well-known host that it equals or is a subdomain of, else by
// itself.
func placeOf(host string) string {
	host = strings.TrimPrefix(strings.ToLower(host), "www.")
	for rest := host; ; {
		if name := places[rest]; name != "" {
			return name
		}
		_, after, below := strings.Cut(rest, ".")
		if !below {
			return host
		}
		rest = after
	}
}
