// Package compile turns everything that decides what a shop's address answers
// into one immutable value, the Site, and walks an address through it.
//
// Resolve is a pure function of a Site, a host and a request target. It goes
// through the steps of document 3, section 4.5, in their order, and the first
// step that answers wins:
//
//	rules with override_live      the rule's own 301 or 302
//	site files                    the file (CONTRACT: before the .html hop)
//	/page.html                    308 to /page, or a rule written for it
//	another host of the shop      308 to the canonical host
//	live page                     the page, or 308 from another spelling of it
//	slug journal                  308 to what once held the last segment
//	/search                       the shop's search, unless a rule names it
//	rules without override_live   308 for 301, 307 for 302
//	fallback                      308 to the nearest live section
//
// What no step answers is a 404. Malformed addresses, addresses with dot
// segments and the platform's own paths never reach the steps.
//
// One implementation has four users: the edge executes Decisions, Check prints
// the trace of one address, CheckLoops walks the rules of a set before it is
// stored, and the fallback is one of the steps.
//
// # Addresses of pages
//
// A category stands at the slugs of its chain from the root; the home category
// is "/" and adds nothing to the addresses below it. Products and articles
// stand below their category. A product without a slug or a live category
// stands at /product/{id}. Visitors see a category when it and all above it
// are published, a published product always, a published article when its
// rubric is seen.
//
// # What is closed
//
// Policies close sections with all below them, products and articles to who has not
// opened them (closed.go). Three questions are asked of a Site about it:
//
//	Decision.Closed, Closed(page)   which policies close this address; shop.Opened.Opens
//	                                tells whether a visitor has opened it; of a set
//	                                ClosedTo(page, opened) tells what is left to open
//	Seen(opened)                    the shop as a visitor sees it: menus, addresses and
//	                                the sitemap of it lack what is closed to him
//	Seen(opened).Hidden()           the same for lists that are read from the database:
//	                                store.Reader.Without takes it, and its queries leave
//	                                those things out
//
// So who draws or lists anything for a visitor begins with site = site.Seen(opened),
// r = r.Without(site.Hidden()), where opened is "" for what everybody gets. Without
// policies the first is the Site itself and the second nil.
//
// The package has no clock, no I/O and no goroutine. A shop behind a PIN
// resolves like any other: closing it is the edge's business.
package compile
