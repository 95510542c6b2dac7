package render

import (
	"time"

	"vitrine/internal/shop"
)

// What letters take from the pages: the words of a language, and pictures in a size.

func wordsIn(lang string) *words { return wordsOf(&Frame{Lang: lang}) }

// DateText is the day of a moment where its clock is, in words of a language.
func DateText(at time.Time, lang string) string { return wordsIn(lang).Date(at) }

// TaxText is an amount of tax that a sum contains, in words of a language; empty where
// there is none.
func TaxText(t shop.Tax, amount int64, currency string, digits int, lang string) string {
	return wordsIn(lang).tax(t, amount, currency, digits)
}

// StatusText is the status of an order in words of a language.
func StatusText(status, lang string) string { return wordsIn(lang).Buy.StatusName(status) }

// ThumbPath is the small form of a picture of the media library; empty for others.
func ThumbPath(address string) string { return thumb(address) }
