package render

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"vitrine/compile/lead"
	"vitrine/internal/shop"
)

// words are the interface texts of one language.
type words struct {
	Lang string

	SkipLink, Menu, Sections, Breadcrumbs, HomeCrumb string
	Cart, Wishlist, Account                          string

	ShopBySection, NewIn, Journal, SeeAll, Browse string

	EmptyListing, EmptyRubric, BackHome                             string
	Previous, Next, Pages, PageNumber                               string
	AddToCart, Added, Save, Saved                                   string
	InStock, SoldOut, SoldOutNote, PriceOnAsk, AskPrice, FromPrice  string
	CountryOfOrigin, Weight, Grams, Kilograms                       string
	NoReminders, NoRemindersAsk, NoRemindersDone                    string
	OldPrice, Levels, SKU, Brand, Parts, Facts, Description, Choose string
	Related, Photos, Photo, NoPhoto, By, MoreNews                   string
	Video, Audio, View, Pause, Play, QuickView, Whole, Table        string
	Search, NothingFound, ShowMore                                  string
	ReadMore                                                        string
	NotFound, NotFoundText, MaybeLike                               string
	Closed, ClosedText, Pin, PinWrong, PinEnter, NoCookies          string
	Shut, ShutText, ShutWho, ShutPassword, ShutWrong                string
	ShutSignIn, ShutStranger, ShutOther, ShutUnproven, ShutConfirm  string
	Total, Quantity, Remove                                         string
	Less, More                                                      string
	Preview, PreviewApart, PreviewLeave                             string
	FormSend, FormThanks, FormThanksText, FormBack                  string
	FormCheck, FormBusy, FormFailed, FormClose                      string
	FormMore, FormKept, FormMB, FormKB, FormPoint                   string

	pinSeconds, pinMinutes string // until the next attempt with a PIN or a password, as a format of a number

	// Errors of a form value, by the violated rule and, for the rule on types, by the kind of
	// field. % is replaced by the limit of the rule.
	FormRules map[lead.Rule]string
	FormTypes map[lead.Kind]string

	Buy     buyWords
	Paper   paperWords
	Product productWords
	Remark  remarkWords
	Shape   shapeWords
	Find    findWords
	zones   map[shop.Zone]zoneWords
	months  [12]string
	// products formats a count of products.
	products func(n int) string
}

// zoneWords are the texts of a page of a guarded zone.
type zoneWords struct {
	Name  string
	Empty string // first line of the empty state
	Text  string
}

func (t *words) zone(z shop.Zone) zoneWords {
	if w, ok := t.zones[z]; ok {
		return w
	}
	return t.zones[shop.ZoneAccount]
}

// Products is a count in words: "12 products".
func (t *words) Products(n int) string { return t.products(n) }

// PinTurn asks the visitor to wait before the next attempt with a PIN or a password.
func (t *words) PinTurn(wait time.Duration) string {
	if n := int((wait + time.Second - 1) / time.Second); n <= 90 {
		return fmt.Sprintf(t.pinSeconds, n)
	}
	return fmt.Sprintf(t.pinMinutes, int((wait+time.Minute-1)/time.Minute))
}

// Rate is a rate of tax with its percentage: "VAT 7.75%".
func (t *words) Rate(r shop.TaxRate) string {
	return r.Name + " " + numberings[t.Lang].write(r.Percent.String()) + "%"
}

// taxes lists the taxes of a sum, which contains them or to which they are added; empty if there
// are none.
func (t *words) taxes(list []shop.Tax, added bool, currency string, digits int) string {
	var parts []string
	for _, tax := range list {
		if tax.Percent > 0 {
			parts = append(parts, t.Rate(tax.TaxRate)+": "+SumText(tax.Amount, currency, digits, t.Lang))
		}
	}
	switch {
	case len(parts) == 0:
		return ""
	case added:
		return t.Buy.Plus + " " + strings.Join(parts, ", ")
	}
	return t.Buy.Including + " " + strings.Join(parts, ", ")
}

// Date formats the day of a moment in the time zone of the value; the zero time gives "".
func (t *words) Date(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return strconv.Itoa(at.Day()) + " " + t.months[at.Month()-1] + " " + strconv.Itoa(at.Year())
}

// wordsOf returns the texts in the language of a frame.
func wordsOf(f *Frame) *words {
	lang := f.Lang
	if lang == "" {
		lang = shop.Language(f.Shop.Language, f.Shop.Currency)
	}
	if lang == "ru" {
		return &russian
	}
	return &english
}
