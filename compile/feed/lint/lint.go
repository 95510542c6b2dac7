// Package lint reads a feed as the marketplace would and says what it would
// refuse: Yandex (YML) and Google Merchant (RSS 2.0 or Atom).
package lint

import "vitrine/compile/feed"

// Most is how many findings a report names; the rest is counted only.
const Most = 200

// Finding is one thing that a marketplace refuses or warns about.
type Finding struct {
	Line      int    `json:"line"` // of the template, 0 when unknown
	Message   string `json:"message"`
	Code      string `json:"code"`              // "yml.price", "google.id", "xml.broken", …
	ProductID int64  `json:"product_id,string"` // 0 when it concerns no product
}

// Kind of feed, by its root element.
type Kind string

// The kinds; other files are not checked.
const (
	None   Kind = ""
	YML    Kind = "yml"
	Google Kind = "google"
)

// Report is what a feed says and what is wrong with it.
type Report struct {
	Kind     Kind
	Offers   int // offers or items
	Total    int // findings, also those beyond Most
	Findings []Finding
}

// Rules are what the caller knows and the feed does not.
type Rules struct {
	Shop feed.Shop

	// Picture tells whether an address of the shop's own host answers with an
	// image. Addresses of other hosts are not asked about. nil asks nothing.
	Picture func(url string) bool
}

// Check reads the output of a render. The result places findings in the
// template when the render was traced.
func Check(output []byte, result *feed.Result, rules Rules) Report { return Report{} }
