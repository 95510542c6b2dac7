// Package lint checks a feed like a marketplace does and reports what the marketplace would
// refuse: Yandex (YML), Google Merchant (RSS 2.0 or Atom) and assistants of the
// Agentic Commerce Protocol (JSON lines). A marketplace reports problems only
// after hours, when it has already dropped the offers.
//
// The feed is scanned once, without building a tree. If the render was traced, every finding has
// the line of the template that wrote it and the product that it was written for. Other parts of
// a feed (delivery, custom labels, promotions) are not checked.
package lint

import (
	"vitrine/compile/feed"
	"vitrine/internal/shop"
)

// Most is the maximum number of findings that a report lists, MaxPerCode the maximum of one code;
// further findings are only counted.
const (
	MaxFindings = 200
	MaxPerCode  = 20
)

// Finding is one problem that a marketplace refuses or warns about.
type Finding struct {
	Line      int    `json:"line"` // in the template, 0 if unknown
	Message   string `json:"message"`
	Code      string `json:"code"`              // "yml.price", "google.id", "acp.id", "xml.broken", …
	ProductID int64  `json:"product_id,string"` // 0 if it concerns no product
}

// Kind is the kind of a feed, by its root element or first record.
type Kind string

// The kinds; files of kind None are not checked.
const (
	None   Kind = ""
	YML    Kind = "yml"
	Google Kind = "google"
	ACP    Kind = "acp"
)

// Values lists the kinds as texts.
func (Kind) Values() []string { return shop.Texts([]Kind{None, YML, Google, ACP}) }

// Report is the result of a check.
type Report struct {
	Kind     Kind
	Offers   int            // offers or items
	Counts   map[string]int // findings by code, including those that are not listed
	Findings []Finding
}

// Rules are facts about the shop that are not in the feed.
type Rules struct {
	Shop feed.Shop

	// Picture reports whether an address on the shop's own host returns an image. It is not
	// called for addresses of other hosts; nil skips the check.
	Picture func(url string) bool
}

// Check checks the complete output of a render. The result locates findings in the template if
// the render was traced. A malformed feed gets only the finding xml.broken or json.broken: no marketplace reads
// further.
func Check(output []byte, result *feed.Result, rules Rules) Report {
	c := &checker{out: output, result: result, rules: rules, names: map[string]string{}}
	c.report.Counts = map[string]int{}
	if result.Broken != nil {
		code := "xml.broken"
		if isACP(output) {
			code = "json.broken"
		}
		c.add(Finding{Line: result.Broken.Line, Message: result.Broken.Message, Code: code})
		return c.report
	}
	c.scan()
	return c.report
}

// checker checks one feed.
type checker struct {
	out     []byte
	result  *feed.Result
	rules   Rules
	report  Report
	summary summary
	names   map[string]string
	facts   []fact // buffer for the facts of the current entry
}

func (c *checker) add(f Finding) {
	c.report.Counts[f.Code]++
	if c.report.Counts[f.Code] <= MaxPerCode && len(c.report.Findings) < MaxFindings {
		c.report.Findings = append(c.report.Findings, f)
	}
}

// find adds a finding about the text at an offset. Its code is prefixed with the kind of the
// feed.
func (c *checker) find(at int, code, message string) {
	c.add(Finding{
		Line: c.result.Line(c.out, at), ProductID: c.result.Product(at),
		Code: string(c.report.Kind) + "." + code, Message: message,
	})
}
