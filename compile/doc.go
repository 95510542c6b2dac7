// Package compile turns everything that decides how a shop's addresses are answered into one
// immutable value, the Site, and resolves addresses against it.
//
// Resolve is a pure function of a Site, a host and a request target. It tries the steps of
// document 3, section 4.5, in order; the first step that answers wins:
//
//	rules with override_live      the rule's own 301 or 302
//	site files                    the file (CONTRACT: before the .html hop)
//	/page.html                    308 to /page, or a rule written for it
//	another host of the shop      308 to the canonical host
//	live page                     the page, or 308 from another spelling of it
//	slug journal                  308 to the page that once had the last segment
//	/search                       the shop's search, unless a rule names it
//	rules without override_live   308 for 301, 307 for 302
//	fallback                      308 to the nearest live section
//
// An address that no step answers is a 404. Malformed addresses, addresses with dot segments and
// the platform's own paths never reach the steps.
//
// One implementation has four users: the edge executes Decisions, Check prints the trace of one
// address, CheckLoops walks the rules of a set before it is stored, and the fallback is one of
// the steps.
//
// # Addresses of pages
//
// The path of a category consists of the slugs from the root down to it; the home category is "/"
// and adds nothing to the addresses below it. Products and articles are addressed below their
// category. A product without a slug or a live category has the address /product/{id}. A category
// is visible when it and all its ancestors are published, a published product unless its main
// category or one above it is unpublished, a published article when its rubric is visible.
//
// # Closed resources
//
// Policies close sections with everything below them, products and articles to visitors who have
// not opened them (closed.go). A Site answers three questions about it:
//
//	Decision.Closed, Closed(page)   which policies close this address; shop.Unlocked.Opens
//	                                reports whether a visitor has opened it; for a set,
//	                                ClosedTo(page, opened) returns what remains to be opened
//	Seen(opened)                    the shop as a visitor sees it: its menus, addresses and
//	                                sitemap leave out what is closed to the visitor
//	Seen(opened).Hidden()           the same for lists that are read from the database:
//	                                store.Reader.Hiding accepts it, and its queries leave
//	                                the hidden rows out
//
// So code that renders or lists anything for a visitor begins with site = site.Seen(opened), r =
// r.Without(site.Hidden()), where opened is "" for what everybody gets. Without policies the
// first is the Site itself and the second nil.
//
// The package has no clock, no I/O and no goroutine. A shop behind a PIN resolves like any other:
// the edge enforces the PIN.
package compile
