package movein

import (
	"html"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/internal/cells"
	"vitrine/internal/shop"
)

// Limits of the texts of a shop, in characters.
const (
	maxText        = 255
	maxDescription = 100_000
)

// unguard removes what spreadsheets need around a cell: an apostrophe before a formula, and the
// formula ="0123" around digits.
func unguard(cell string) string {
	if inner, ok := strings.CutPrefix(cell, `="`); ok && strings.HasSuffix(inner, `"`) && strings.Count(inner, `"`) == 1 {
		return inner[:len(inner)-1]
	}
	return cells.Unguard(cell)
}

// line cleans a name or a title: entities are decoded once, white space is single spaces.
func line(cell string) string {
	if strings.IndexByte(cell, '&') >= 0 {
		cell = html.UnescapeString(cell)
	}
	return strings.Join(strings.Fields(shop.OneLine(visible(cell))), " ")
}

// visible removes control characters and invisible ones, and replaces those that look like a
// space.
func visible(cell string) string {
	if strings.IndexFunc(cell, func(r rune) bool { return r >= utf8.RuneSelf-1 || r < ' ' }) < 0 {
		return cell
	}
	return dropControls(invisible.Replace(cell))
}

var invisible = strings.NewReplacer("\u200b", "", "\u2060", "", "\ufeff", "", "\u00ad", "", "\u00a0", " ", "\u202f", " ")

// code cleans a sku, a number or an address.
func code(cell string) string { return strings.TrimSpace(visible(cell)) }

// identifier cleans a cell that some systems write with an apostrophe, so that spreadsheets keep
// its zeros.
func identifier(cell string) string { return code(strings.TrimPrefix(code(cell), "'")) }

// shownOfLong is how much of a text that is too long its loss shows.
const shownOfLong = 60

// short bounds a text in characters; a longer one is a loss.
func (e *engine) short(at Place, text string, most int) string {
	if len(text) <= most || utf8.RuneCountInString(text) <= most {
		return text
	}
	e.lose(at, Changed, "TEXT_TOO_LONG", shop.Shorten(text, shownOfLong))
	return strings.TrimSpace(shop.Clip(text, most))
}

// truths are the words for yes and no in the languages of exports.
var truths = map[string]bool{
	"1": true, "true": true, "yes": true, "y": true, "visible": true, "active": true, "enabled": true, "published": true, "publish": true,
	"in stock": true, "instock": true, "in_stock": true, "available": true, "on": true,
	"wahr": true, "ja": true, "vrai": true, "oui": true, "sí": true, "si": true, "verdadero": true, "истина": true, "да": true,
	"0": false, "-1": false, "2": false, "false": false, "no": false, "n": false, "hidden": false, "unavailable": false, "private": false,
	"draft": false, "archived": false, "unlisted": false, "disabled": false, "none": false, "off": false, "pending": false,
	"not visible individually": false, "out of stock": false, "outofstock": false, "out_of_stock": false, "out-of-stock": false,
	"falsch": false, "nein": false, "faux": false, "non": false, "falso": false, "ложь": false, "нет": false,
}

// truth reads yes or no; known is false for other words and an empty cell.
func truth(cell string) (yes, known bool) {
	yes, known = truths[strings.ToLower(line(cell))]
	return yes, known
}

// no reports whether a cell says no.
func no(cell string) bool {
	yes, known := truth(cell)
	return known && !yes
}

// list splits a cell; a separator after a backslash belongs to its part.
func list(cell, separators string) (parts []string) {
	var part strings.Builder
	flush := func() {
		if text := strings.TrimSpace(part.String()); text != "" && len(parts) < maxList {
			parts = append(parts, text)
		}
		part.Reset()
	}
	for i := 0; i < len(cell); i++ {
		switch c := cell[i]; {
		case c == '\\' && i+1 < len(cell) && strings.IndexByte(separators, cell[i+1]) >= 0:
			i++
			part.WriteByte(cell[i])
		case strings.IndexByte(separators, c) >= 0:
			flush()
		default:
			part.WriteByte(c)
		}
	}
	flush()
	return parts
}

// maxList bounds the parts of a cell: addresses, tags, sections.
const maxList = 500

// perUnit are the grams of units of weight.
var perUnit = map[string]float64{
	"kg": 1000, "кг": 1000, "kilogram": 1000, "kilograms": 1000, "lb": 453.59237, "lbs": 453.59237, "pound": 453.59237, "pounds": 453.59237,
	"oz": 28.349523125, "ounce": 28.349523125, "ounces": 28.349523125, "t": 1e6,
}

// grams reads a weight in a unit; nil if it is empty, zero or no number.
func grams(cell, unit string) *int {
	a, ok := parseAmount(cell)
	if !ok || a.negative {
		return nil
	}
	micro, _ := a.scaled(6)
	factor, known := perUnit[strings.ToLower(strings.Trim(unit, " ()."))]
	if !known {
		factor = 1
	}
	n := int(float64(micro)/1e6*factor + 0.5)
	if n <= 0 || n > 10_000_000 {
		return nil
	}
	return &n
}

// dates are the forms of dates in exports.
var dates = []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02", "2006/01/02", "02.01.2006", "1/2/06", "1/2/2006", "2006-01-02T15:04Z0700", "2006-01-02T15:04:05Z0700"}

// date reads a date; zero if it is not one.
func date(cell string) time.Time {
	if cell = code(cell); cell == "" {
		return time.Time{}
	}
	for _, form := range dates {
		if at, err := time.Parse(form, cell); err == nil && at.Year() > 1 {
			return at
		}
	}
	return time.Time{}
}

// within reports whether now is in a period whose ends may be open; its last day belongs to it.
func (e *engine) within(from, to string) bool {
	begin, end := date(from), date(to)
	if !end.IsZero() && len(code(to)) <= len("2006-01-02") {
		end = end.AddDate(0, 0, 1)
	}
	return (begin.IsZero() || !e.shop.Now.Before(begin)) && (end.IsZero() || e.shop.Now.Before(end))
}

// whole reads a whole number, of which a decimal part is dropped.
func whole(cell string) (int, bool) {
	a, ok := parseAmount(cell)
	if !ok {
		return 0, false
	}
	a.fraction = ""
	if a.whole == "" {
		a.whole = "0"
	}
	n, err := strconv.ParseInt(a.whole, 10, 32)
	if err != nil {
		return 0, false
	}
	if a.negative {
		n = -n
	}
	return int(n), true
}
