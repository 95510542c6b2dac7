package count

import (
	"bytes"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/hostname"
	"vitrine/internal/visitstats"
)

// Names in statistics are untrusted input. They are kept short, on one line and valid
// UTF-8, and names that look like a person's name or number are dropped.

const (
	maxPageName = 300 // bytes of the path of a page
	maxWords    = 200 // bytes of a search
	maxCampaign = 100 // bytes of each part of a campaign
)

// cleaned returns a text as one line of at most most bytes.
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

// personal reports whether a text may identify a person: it contains an e-mail address, or
// as many digits as a telephone number.
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

// wordsOf is a search in the form of the list; empty if it must not be kept.
func wordsOf(search string) string {
	words := strings.ToLower(cleaned(search, maxWords))
	if personal(words) {
		return ""
	}
	return words
}

// missingName is the path of a 404 in the form of the list: segments that may identify a
// person, or be a secret from an e-mail, become an ellipsis.
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

// secret reports whether a segment looks generated: twenty consecutive letters and digits
// with a digit among them, or as many digits as a telephone number.
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

// campaignOf is the campaign in the query of an address; empty if there is none.
func campaignOf(query string) string {
	if !strings.Contains(query, "utm_") {
		return ""
	}
	part := func(name string) string {
		var text string
		for pair := range strings.SplitSeq(query, "&") {
			if key, value, _ := strings.Cut(pair, "="); key == name {
				text = value
				break
			}
		}
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

// hostOfReferrer is the host of an address in lower case, without port; nil if there is
// none. For the usual spelling it is a part of the address and costs no allocation.
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
	host, err := hostname.Parse(rest)
	if err != nil {
		return nil
	}
	return bytes.TrimPrefix(host, []byte("www."))
}
