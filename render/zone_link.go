package render

import (
	"cmp"
	"net/url"
	"time"
)

// LinkedAssistant is an assistant that may act for the visitor.
type LinkedAssistant struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"` // as it calls itself
	Profile string     `json:"profile"`
	Scopes  []string   `json:"scopes"`
	Created time.Time  `json:"created_at"`
	Used    *time.Time `json:"last_used_at"`
}

// Site is the host of the assistant's profile.
func (a *LinkedAssistant) Site() string { return siteOf(a.Profile) }

// Link is the page /account/link, where a customer decides whether an assistant may act for them.
type Link struct {
	Request string // the query of the page, for its form
	Problem string // why the request cannot be shown; empty: it can
	Email   string // of the customer
	Sent    bool   // a code was sent there
	Trouble FormError

	Name    string   `json:"name"`
	Profile string   `json:"profile"`
	Host    string   `json:"host"` // to which the customer returns
	Scopes  []string `json:"scopes"`
	Consent string   `json:"consent"`
}

// Site is the host of the assistant's profile.
func (l *Link) Site() string { return siteOf(l.Profile) }

// Action is the address of the form.
func (l *Link) Action() string { return "/account/link?" + l.Request }

func siteOf(profile string) string {
	u, err := url.Parse(profile)
	if err != nil {
		return profile
	}
	return u.Host
}

// LinkScope is what an assistant may do by a scope.
func (b *buyWords) LinkScope(scope string) string { return cmp.Or(b.linkScopes[scope], scope) }
