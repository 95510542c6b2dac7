package lint

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/shop"
)

// absolute checks that an address has a scheme and host and, if own, is on the shop's host.
func (c *checker) absolute(f fact, code string, own bool) bool {
	if c.simple(f.text) {
		return true
	}
	u, err := url.Parse(f.text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		c.find(f.at, code, fmt.Sprintf("%s is not an absolute address: %s", f.name, quoted(f.text)))
		return false
	case own && !c.own(u):
		c.find(f.at, code, fmt.Sprintf("%s is not on the shop's host: %s", f.name, quoted(f.text)))
		return false
	case len(f.text) > maxAddress:
		c.find(f.at, code, fmt.Sprintf("%s is longer than %d characters", f.name, maxAddress))
		return false
	}
	return true
}

const maxAddress = 2000

// simple reports whether an address is on the shop's own host and needs no parsing.
func (c *checker) simple(address string) bool {
	path, ok := strings.CutPrefix(address, c.rules.Shop.URL)
	return ok && c.rules.Shop.URL != "" && strings.HasPrefix(path, "/") && len(address) <= maxAddress && strings.IndexFunc(path, needsParsing) < 0
}

// needsParsing reports whether url.Parse might refuse a character.
func needsParsing(r rune) bool { return r <= ' ' || r == '%' || r == 0x7f }

func (c *checker) own(u *url.URL) bool {
	shop, err := url.Parse(c.rules.Shop.URL)
	return err != nil || shop.Host == "" || strings.EqualFold(shop.Host, u.Host)
}

// picture checks the address of a picture and, on the shop's host, whether there is an image.
func (c *checker) picture(f fact) {
	if !c.absolute(f, "picture", false) {
		return
	}
	if c.rules.Picture == nil {
		return
	}
	if u, err := url.Parse(f.text); err == nil && c.own(u) && !c.rules.Picture(f.text) {
		c.find(f.at, "picture_unreachable", "there is no picture at "+quoted(f.text))
	}
}

// text checks a text for readers: its length, its characters, and double escaping.
func (c *checker) text(f fact, most int) {
	if most > 0 && len(f.text) > most {
		if n := utf8.RuneCountInString(f.text); n > most {
			c.find(f.at, "length", fmt.Sprintf("%s has %d characters, at most %d are allowed", f.name, n, most))
		}
	}
	switch {
	case strings.ContainsRune(f.text, utf8.RuneError):
		c.find(f.at, "characters", f.name+" contains a replacement character: the text was cut or decoded wrongly")
	case doubleEscaped(f.text):
		c.find(f.at, "double_escape", f.name+" is escaped twice: values are escaped automatically, without html")
	}
}

func doubleEscaped(s string) bool {
	if !strings.Contains(s, "&") {
		return false
	}
	for _, sign := range []string{"&amp;", "&lt;", "&gt;", "&quot;", "&#34;", "&#39;", "&apos;"} {
		if strings.Contains(s, sign) {
			return true
		}
	}
	return false
}

// allCapitals reports whether a text has more than 10 letters, all of them capitals.
func allCapitals(s string) bool {
	letters := 0
	for _, r := range s {
		if unicode.IsLower(r) {
			return false
		}
		if unicode.IsUpper(r) {
			letters++
		}
	}
	return letters > 10
}

// amount parses a price: digits, optionally followed by a dot and one or two digits.
func amount(s string) (float64, bool) {
	whole, cents, dotted := strings.Cut(s, ".")
	if !digits(whole) || dotted && (!digits(cents) || len(cents) > 2) {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// unique checks that no other entry has this id.
func (c *checker) unique(at int, id string) {
	if c.summary.ids[id] {
		c.find(at, "id_duplicate", "the id "+quoted(id)+" is used by two offers")
	}
	c.summary.ids[id] = true
}

// quoted quotes a text for a message, truncated if it is long.
func quoted(s string) string {
	return strconv.Quote(shop.Shorten(s, 80))
}
