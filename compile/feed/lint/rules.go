package lint

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// absolute checks an address: with a scheme and, if own, on the shop's host.
func (c *checker) absolute(f fact, code string, own bool) bool {
	if c.usual(f.text) {
		return true
	}
	u, err := url.Parse(f.text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		c.find(f.at, code, fmt.Sprintf("%s is no absolute address: %s", f.name, quoted(f.text)))
		return false
	case own && !c.own(u):
		c.find(f.at, code, fmt.Sprintf("%s leads to another host than the shop's: %s", f.name, quoted(f.text)))
		return false
	case len(f.text) > maxAddress:
		c.find(f.at, code, fmt.Sprintf("%s is longer than %d characters", f.name, maxAddress))
		return false
	}
	return true
}

const maxAddress = 2000

// usual tells an address of the shop's own host that needs no parsing.
func (c *checker) usual(address string) bool {
	path, ok := strings.CutPrefix(address, c.rules.Shop.URL)
	return ok && c.rules.Shop.URL != "" && strings.HasPrefix(path, "/") && len(address) <= maxAddress && strings.IndexFunc(path, odd) < 0
}

// odd is what url.Parse might refuse.
func odd(r rune) bool { return r <= ' ' || r == '%' || r == 0x7f }

func (c *checker) own(u *url.URL) bool {
	shop, err := url.Parse(c.rules.Shop.URL)
	return err != nil || shop.Host == "" || strings.EqualFold(shop.Host, u.Host)
}

// picture checks the address of a picture and, on the shop's host, whether it
// answers.
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

// text checks what people read: its length, its characters, leftovers of markup.
func (c *checker) text(f fact, most int) {
	if most > 0 && len(f.text) > most {
		if n := utf8.RuneCountInString(f.text); n > most {
			c.find(f.at, "length", fmt.Sprintf("%s has %d characters, at most %d are taken", f.name, n, most))
		}
	}
	switch {
	case strings.ContainsRune(f.text, utf8.RuneError):
		c.find(f.at, "characters", f.name+" holds a replacement character: a text was cut or decoded wrongly")
	case doubleEscaped(f.text):
		c.find(f.at, "double_escape", f.name+" is escaped twice: values are escaped by themselves, without html")
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

// shouting tells a text of many letters that are all capitals.
func shouting(s string) bool {
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

// amount reads a price: digits, and a dot before one or two more.
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
	if c.book.ids[id] {
		c.find(at, "id_duplicate", "the id "+quoted(id)+" stands for two offers")
	}
	c.book.ids[id] = true
}

// quoted shows a text in a message, its start when it is long.
func quoted(s string) string {
	const most = 80
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return strconv.Quote(s)
}
