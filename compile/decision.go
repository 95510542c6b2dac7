package compile

import "vitrine/internal/shop"

// Kind is the outcome of resolving an address.
type Kind uint8

// The kinds of decisions.
const (
	NotFound   Kind = iota // 404; Log reports whether it enters the 404 log
	BadAddress             // 400: broken escapes, control characters
	TooLong                // 414
	Redirect               // Status, Location, By, Rule
	Page                   // a live page: Page, and Rest below a site folder
	Service                // a path of the platform itself (/cart, /files/…, /robots.txt), not decided here
	File                   // a published site file: File
	Feed                   // the articles of the rubric Page as RSS
	Search                 // the shop's search
)

// PageRef names a live page.
type PageRef struct {
	Entity Entity // 0 is the shop's home page where no category is the home
	ID     int64
}

// Decision is the outcome of resolving one address.
type Decision struct {
	Kind     Kind
	Page     PageRef // of a redirect: its target page, if known
	Rest     string  // below a live category of type site: the decoded path after the folder's path, "" or beginning with a slash. Valid until the Walk is used again
	File     shop.SiteFileID
	Status   int         // of a redirect: 301, 302, 307, 308
	Location string      // of a redirect; relative on the same host. Valid until the Walk is used again
	By       By          // which step sent the redirect
	Rule     shop.RuleID // the rule that answered, if any
	Code     int         // the rule's stored code, 301 or 302
	Override bool        // the rule acts over live pages
	Log      bool        // a 404 that enters the 404 log

	// Closed lists the policies that close the target of the address, any one of which opens it;
	// empty means open to all. A redirect is closed with its target page, whose address it would
	// reveal, and a missing address with the closed section that contains it.
	Closed []shop.PolicyID
}

// HTTP returns the status of the address as far as addresses decide it: service paths, files and
// site folders count as 200 here.
func (d Decision) HTTP() int {
	switch d.Kind {
	case NotFound:
		return 404
	case BadAddress:
		return 400
	case TooLong:
		return 414
	case Redirect:
		return d.Status
	}
	return 200
}

// By names the step that sent a redirect; it is printed in X-Redirect-By.
type By uint8

// The senders of redirects (CONTRACT, "Storefront host").
const (
	ByRule By = iota + 1
	ByHTML
	ByCanonical
	ByJournal
	ByFallback
)

// String returns the sender's name as used in headers and traces; the caller adds a rule's id.
func (b By) String() string {
	switch b {
	case ByRule:
		return "rule"
	case ByHTML:
		return "html"
	case ByCanonical:
		return "canonical"
	case ByJournal:
		return "slug-journal"
	case ByFallback:
		return "fallback"
	}
	return ""
}
