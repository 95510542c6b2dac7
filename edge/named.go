package edge

import (
	"bytes"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/visitstats"
)

// Names in statistics are what anybody can send. They are short, one line, valid UTF-8,
// and none that looks like the name or number of a person is kept.

const (
	maxPageName = 300 // bytes of the path of a page
	maxWords    = 200 // bytes of what somebody looks for
	maxCampaign = 100 // bytes of each part of a campaign
)

// cleaned is a text as one line of at most a number of bytes.
func cleaned(text string, most int) string {
	text = strings.ToValidUTF8(text, "")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return strings.TrimSpace(text[:most])
}

// personal reports whether a text may name somebody: it has an e-mail address, or as many
// digits as a telephone number.
func personal(text string) bool {
	digits := 0
	for _, r := range text {
		if r == '@' {
			return true
		}
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return digits >= 7
}

// wordsOf is what somebody looked for as the list has it; empty is not kept.
func wordsOf(search string) string {
	words := strings.ToLower(cleaned(search, maxWords))
	if personal(words) {
		return ""
	}
	return words
}

// missingName is the path of a 404 as the list has it: a segment that may be a person's,
// or a secret out of a letter, is an ellipsis.
func missingName(path string) string {
	if decoded, err := url.PathUnescape(path); err == nil {
		path = decoded
	}
	segments := strings.Split(cleaned(path, maxPageName), "/")
	for i, s := range segments {
		if len(s) > 80 || strings.ContainsRune(s, '@') || secret(s) {
			segments[i] = "…"
		}
	}
	return strings.Join(segments, "/")
}

// secret reports whether a segment looks like what a program made up: twenty letters and
// digits on end, with a digit among them, or as many digits as a telephone number.
func secret(segment string) bool {
	run, digits := 0, 0
	for _, r := range segment {
		switch {
		case unicode.IsDigit(r):
			digits++
			run++
		case r < utf8.RuneSelf && unicode.IsLetter(r):
			run++
		default:
			run, digits = 0, 0
			continue
		}
		if run >= 20 && digits > 0 || digits >= 9 {
			return true
		}
	}
	return false
}

// campaignOf is what the query of an address says of an advertisement; empty where it
// says nothing.
func campaignOf(query string) string {
	if !strings.Contains(query, "utm_") {
		return ""
	}
	part := func(name string) string {
		text, _ := queryValue(query, name)
		value, err := url.QueryUnescape(text)
		if err != nil || strings.ContainsRune(value, '@') {
			return ""
		}
		return cleaned(value, maxCampaign)
	}
	c := visitstats.Campaign{Source: part("utm_source"), Medium: part("utm_medium"), Campaign: part("utm_campaign")}
	if c == (visitstats.Campaign{}) {
		return ""
	}
	return c.Name()
}

// hostOfReferrer is the host of an address in lower case, without port; nil for what has
// none. It is a part of the address, which costs nothing where it is spelled as usual.
func hostOfReferrer(address []byte) []byte {
	scheme, rest, ok := bytes.Cut(address, []byte("://"))
	switch {
	case !ok:
		return nil
	case string(scheme) != "https" && string(scheme) != "http" && string(scheme) != "android-app":
		return nil
	}
	if end := bytes.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	if bytes.IndexByte(rest, '@') >= 0 {
		return nil
	}
	host, err := hostName(rest)
	if err != nil {
		return nil
	}
	return bytes.TrimPrefix(host, []byte("www."))
}
