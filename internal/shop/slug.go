package shop

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Refusals of slugs (document 1, 2.2 and 7).
var (
	ErrSlugNumeric  = Refuse(InvalidArgument, "SLUG_NUMERIC_FORBIDDEN").When("a slug is only digits")
	ErrSlugInvalid  = Refuse(InvalidArgument, "SLUG_INVALID").When("a slug does not begin with a letter")
	ErrSlugReserved = Refuse(InvalidArgument, "SLUG_RESERVED").When("a slug is a word that the storefront needs itself")
	ErrSlugTaken    = Refuse(AlreadyExists, "SLUG_TAKEN").When("something else in the shop has this slug")
)

// MaxSlug is the longest slug in bytes; a generated one is cut well before, so
// that a suffix fits.
const (
	MaxSlug       = 200
	generatedSlug = 80
)

// reservedSlugs are first segments that the platform answers itself, besides the
// Zones, and words that would read as such.
var reservedSlugs = map[string]bool{
	"admin": true, "api": true, "files": true, "w": true, "product": true, "article": true, "category": true,
	"login": true, "logout": true, "register": true, "search": true, "robots": true, "sitemap": true, "favicon": true,
	"form": true, "forms": true, "svc": true, "static": true, "assets": true, "index": true,
}

func reservedSlug(slug string) bool {
	_, zone := ZoneNamed(slug)
	return zone || reservedSlugs[slug]
}

// ParseSlug reads a slug that somebody asked for. Cyrillic letters, capitals
// and spaces are brought to [a-z][a-z0-9_-]*; forms that cannot be saved are
// refused (document 1, 2.2).
func ParseSlug(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text != "" && strings.Trim(text, "0123456789") == "" {
		return "", ErrSlugNumeric.With(text)
	}
	slug := transliterate(text)
	switch {
	case !beginsWithLetter(text) || slug == "" || slug[0] < 'a' || slug[0] > 'z':
		return "", ErrSlugInvalid.With("a slug starts with a letter and holds a-z, 0-9, _ and -")
	case len(slug) > MaxSlug:
		return "", ErrSlugInvalid.With("a slug has at most " + strconv.Itoa(MaxSlug) + " letters")
	case reservedSlug(slug):
		return "", ErrSlugReserved.With(slug)
	}
	return slug, nil
}

// beginsWithLetter reports whether a text begins with a letter that a slug can
// spell: what stands before the first one would be lost without a word.
func beginsWithLetter(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.ToLower(text))
	return first >= 'a' && first <= 'z' || cyrillic[first] != "" || latin[first] != ""
}

// GenerateSlug makes a slug from a name. It never fails: a name without usable
// letters, or one that starts with a digit, gets the noun in front.
func GenerateSlug(name, noun string) string {
	slug := transliterate(name)
	if len(slug) > generatedSlug {
		slug = strings.TrimRight(slug[:generatedSlug], "-_")
	}
	switch {
	case slug == "":
		return noun + "-1"
	case slug[0] < 'a' || slug[0] > 'z':
		return noun + "-" + slug
	case reservedSlug(slug):
		return slug + "-1"
	}
	return slug
}

// Suffixed is the n-th try of a generated slug: "tea", "tea-2", "tea-3".
func Suffixed(slug string, n int) string {
	if n < 2 {
		return slug
	}
	return slug + "-" + strconv.Itoa(n)
}

// cyrillic is the everyday spelling of Russian, with the letters of its
// neighbours.
var cyrillic = map[rune]string{
	'а': "a", 'б': "b", 'в': "v", 'г': "g", 'д': "d", 'е': "e", 'ё': "yo", 'ж': "zh", 'з': "z", 'и': "i", 'й': "y",
	'к': "k", 'л': "l", 'м': "m", 'н': "n", 'о': "o", 'п': "p", 'р': "r", 'с': "s", 'т': "t", 'у': "u", 'ф': "f",
	'х': "kh", 'ц': "ts", 'ч': "ch", 'ш': "sh", 'щ': "shch", 'ъ': "", 'ы': "y", 'ь': "", 'э': "e", 'ю': "yu", 'я': "ya",
	'і': "i", 'ї': "yi", 'є': "ye", 'ґ': "g", 'ў': "u", 'ә': "a", 'ғ': "g", 'қ': "k", 'ң': "n", 'ө': "o", 'ұ': "u",
	'ү': "u", 'һ': "h", 'ј': "j", 'љ': "lj", 'њ': "nj", 'ћ': "c", 'ђ': "dj", 'џ': "dz", 'ѓ': "g", 'ќ': "k", 'ѕ': "dz",
}

// latin folds the accents of common Latin letters.
var latin = map[rune]string{
	'à': "a", 'á': "a", 'â': "a", 'ã': "a", 'ä': "ae", 'å': "a", 'æ': "ae", 'ç': "c", 'č': "c", 'ć': "c", 'ď': "d",
	'è': "e", 'é': "e", 'ê': "e", 'ë': "e", 'ě': "e", 'ę': "e", 'ą': "a", 'ğ': "g", 'ì': "i", 'í': "i", 'î': "i",
	'ï': "i", 'ı': "i", 'ł': "l", 'ñ': "n", 'ń': "n", 'ň': "n", 'ò': "o", 'ó': "o", 'ô': "o", 'õ': "o", 'ö': "oe",
	'ø': "o", 'œ': "oe", 'ř': "r", 'ß': "ss", 'ś': "s", 'š': "s", 'ş': "s", 'ť': "t", 'ù': "u", 'ú': "u", 'û': "u",
	'ü': "ue", 'ů': "u", 'ý': "y", 'ÿ': "y", 'ź': "z", 'ż': "z", 'ž': "z",
}

// transliterate lowers, spells out, and joins everything else by single
// hyphens.
func transliterate(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(text) {
		piece, known := cyrillic[r]
		if !known {
			piece, known = latin[r]
		}
		switch {
		case known:
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_':
			piece = string(r)
		case unicode.Is(unicode.Mn, r), r == '\'', r == '’':
			continue
		default:
			gap = b.Len() > 0
			continue
		}
		if gap && piece != "" {
			b.WriteByte('-')
			gap = false
		}
		b.WriteString(piece)
	}
	return b.String()
}
