package render

import (
	"time"

	"vitrine/internal/shop"
)

// wordsIn and the functions below give emails the same texts and picture sizes as the pages.

func wordsIn(lang string) *words { return wordsOf(&Frame{Lang: lang}) }

// DateText formats the day of a moment, in the time zone of the value, in a language.
func DateText(at time.Time, lang string) string { return wordsIn(lang).Date(at) }

// TaxText lists the taxes that a sum contains or that are added to it; empty if there are none.
func TaxText(list []shop.Tax, added bool, currency string, digits int, lang string) string {
	return wordsIn(lang).taxes(list, added, currency, digits)
}

// StatusText is the status of an order in a language.
func StatusText(status, lang string) string { return wordsIn(lang).Buy.StatusName(status) }

// AddressLines are the lines of an address in a language.
func AddressLines(address []byte, lang string) []string { return wordsIn(lang).AddressLines(address) }

// ThumbPath is the thumbnail of a picture of the media library; empty for other pictures.
func ThumbPath(address string) string { return thumb(address) }
