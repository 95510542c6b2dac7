// Package lint reads a feed as the marketplace would and says what it would
// refuse: Yandex (YML) and Google Merchant (RSS 2.0 or Atom). A marketplace
// tells the owner after hours, and has dropped the offers by then.
//
// The feed is scanned once, without building a tree. Every finding leads to the
// line of the template that wrote it and to the product it was written for,
// when the render was traced. What a feed says beside offers (delivery, custom
// labels, promotions) is not looked at.
package lint

import "vitrine/compile/feed"

// Most is how many findings a report names, MostOfCode how many of one code; the
// rest is counted only.
const (
	Most       = 200
	MostOfCode = 20
)

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
	Offers   int            // offers or items
	Counts   map[string]int // findings by code, also those that are not named
	Findings []Finding
}

// Rules are what the caller knows and the feed does not.
type Rules struct {
	Shop feed.Shop

	// Picture tells whether an address of the shop's own host answers with an
	// image. Addresses of other hosts are not asked about. nil asks nothing.
	Picture func(url string) bool
}

// Check reads the output of a render, all of it. The result places findings in
// the template when the render was traced. A feed that is broken gets the one
// finding that says so: no marketplace reads further.
func Check(output []byte, result *feed.Result, rules Rules) Report {
	c := &checker{out: output, result: result, rules: rules, names: map[string]string{}}
	c.report.Counts = map[string]int{}
	if result.Broken != nil {
		c.add(Finding{Line: result.Broken.Line, Message: result.Broken.Message, Code: "xml.broken"})
		return c.report
	}
	c.scan()
	return c.report
}

// checker goes through one feed.
type checker struct {
	out    []byte
	result *feed.Result
	rules  Rules
	report Report
	book   book
	names  map[string]string
	facts  []fact // memory of the entry that is read
}

func (c *checker) add(f Finding) {
	c.report.Counts[f.Code]++
	if c.report.Counts[f.Code] <= MostOfCode && len(c.report.Findings) < Most {
		c.report.Findings = append(c.report.Findings, f)
	}
}

// find notes a finding about what stands at an offset. Codes start with the kind
// of feed unless they name it themselves.
func (c *checker) find(at int, code, message string) {
	c.add(Finding{
		Line: c.result.Line(c.out, at), ProductID: c.result.Product(at),
		Code: string(c.report.Kind) + "." + code, Message: message,
	})
}
