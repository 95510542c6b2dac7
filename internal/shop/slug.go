package shop

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Refusals of slugs (document 1, 2.2 and 7).
var (
	ErrSlugNumeric  = Refuse(InvalidArgument, "SLUG_NUMERIC_FORBIDDEN").When("a slug is only digits")
	ErrSlugInvalid  = Refuse(InvalidArgument, "SLUG_INVALID").When("a slug does not begin with a letter")
	ErrSlugReserved = Refuse(InvalidArgument, "SLUG_RESERVED").When("a slug is a word reserved by the storefront")
	ErrSlugTaken    = Refuse(AlreadyExists, "SLUG_TAKEN").When("something else in the shop, or another shop, has this slug")
)

// MaxSlug is the maximum length of a slug in bytes; a generated one is truncated well
// before, so that a suffix fits.
const (
	MaxSlug       = 200
	generatedSlug = 80
)

// reservedSlugs are first segments used by the platform, in addition to the Zones, and
// words that look like them.
var reservedSlugs = map[string]bool{
	"admin": true, "api": true, "files": true, "w": true, "product": true, "article": true, "category": true,
	"login": true, "logout": true, "register": true, "search": true, "robots": true, "sitemap": true, "favicon": true,
	"form": true, "forms": true, "svc": true, "static": true, "assets": true, "index": true,
}

func reservedSlug(slug string) bool {
	_, zone := ZoneNamed(slug)
	return zone || reservedSlugs[slug]
}

// ParseSlug parses a requested slug. It converts Cyrillic letters, capitals and spaces to
// [a-z][a-z0-9_-]* and refuses forms that cannot be saved (document 1, 2.2).
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

// beginsWithLetter reports whether a text begins with a letter that a slug can spell:
// anything before the first one would be lost silently.
func beginsWithLetter(text string) bool {
	first, _ := utf8.DecodeRuneInString(norm.NFKD.String(text))
	piece, _ := spelling(unicode.ToLower(first))
	return piece != "" && piece[0] >= 'a' && piece[0] <= 'z'
}

// GenerateSlug generates a slug from a name. It never fails: a name without usable letters,
// or one that starts with a digit, gets the noun as a prefix.
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

// WithSuffix returns the n-th candidate of a generated slug: "tea", "tea-2", "tea-3".
func WithSuffix(slug string, n int) string {
	if n < 2 {
		return slug
	}
	return slug + "-" + strconv.Itoa(n)
}

// cyrillic is the common transliteration of Russian, with the letters of neighbouring
// languages.
var cyrillic = map[rune]string{
	'а': "a", 'б': "b", 'в': "v", 'г': "g", 'д': "d", 'е': "e", 'ё': "yo", 'ж': "zh", 'з': "z", 'и': "i", 'й': "y",
	'к': "k", 'л': "l", 'м': "m", 'н': "n", 'о': "o", 'п': "p", 'р': "r", 'с': "s", 'т': "t", 'у': "u", 'ф': "f",
	'х': "kh", 'ц': "ts", 'ч': "ch", 'ш': "sh", 'щ': "shch", 'ъ': "", 'ы': "y", 'ь': "", 'э': "e", 'ю': "yu", 'я': "ya",
	'і': "i", 'ї': "yi", 'є': "ye", 'ґ': "g", 'ў': "u", 'ә': "a", 'ғ': "g", 'қ': "k", 'ң': "n", 'ө': "o", 'ұ': "u",
	'ү': "u", 'һ': "h", 'ј': "j", 'љ': "lj", 'њ': "nj", 'ћ': "c", 'ђ': "dj", 'џ': "dz", 'ѓ': "g", 'ќ': "k", 'ѕ': "dz",
}

// greek is the transliteration of road signs and passports.
var greek = map[rune]string{
	'α': "a", 'β': "v", 'γ': "g", 'δ': "d", 'ε': "e", 'ζ': "z", 'η': "i", 'θ': "th", 'ι': "i", 'κ': "k", 'λ': "l", 'μ': "m",
	'ν': "n", 'ξ': "x", 'ο': "o", 'π': "p", 'ρ': "r", 'σ': "s", 'ς': "s", 'τ': "t", 'υ': "y", 'φ': "f", 'χ': "ch", 'ψ': "ps", 'ω': "o",
}

// latin are the Latin letters that are not just a letter with an accent: those that do not
// decompose, and the umlauts in German spelling.
var latin = map[rune]string{
	'ä': "ae", 'ö': "oe", 'ü': "ue", 'æ': "ae", 'œ': "oe", 'ß': "ss", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ħ': "h",
	'ı': "i", 'ĸ': "k", 'ŋ': "n", 'ŧ': "t", 'ə': "e",
}

// spelling returns the transliteration of a letter, and whether there is one.
func spelling(r rune) (string, bool) {
	for _, table := range []map[rune]string{cyrillic, greek, latin} {
		if piece, known := table[r]; known {
			return piece, true
		}
	}
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' {
		return string(r), true
	}
	return "", false
}

// transliterate lowercases and transliterates a text and joins the parts by single hyphens.
// Characters in no table are decomposed: ế is e with two accents, ﬁ is two letters.
func transliterate(text string) string {
	var b strings.Builder
	gap, before := false, rune(0)
	put := func(r rune) {
		piece, ok := spelling(r)
		switch {
		case ok:
		case unicode.Is(unicode.Mn, r), r == '\'', r == '’':
			return
		default:
			gap, before = b.Len() > 0, 0
			return
		}
		if r == 'υ' && strings.ContainsRune("αεο", before) {
			piece = "u"
		}
		if before = r; gap && piece != "" {
			b.WriteByte('-')
			gap = false
		}
		b.WriteString(piece)
	}
	for _, r := range norm.NFC.String(strings.ToLower(text)) {
		if _, ok := spelling(r); ok {
			put(r)
			continue
		}
		for _, part := range strings.ToLower(norm.NFKD.String(string(r))) {
			put(part)
		}
	}
	return b.String()
}
