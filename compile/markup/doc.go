// Package markup compiles an uploaded html document into programs that a page copies into its
// response (document 3, 2.3 and 4.6; CONTRACT, "Html documents").
//
// An author uploads a folder with an index.html, written as a complete page. A shop page shows it
// as one block among others, so its body becomes a div, its head a hidden container, its relative
// addresses point to the immutable files of its release, and its bare body, html and :root rules
// style the div. All of that is decided once, when a release is published:
//
//	index.html ─ decode ─► html.Parse ─► tree ─ walk ─► Program (normal)
//	                                          └ walk ─► Program (guarded)
//
// A Program is a list of operations over one byte arena:
//
//	static                 bytes to copy; adjacent ones are merged
//	hole(path, context)    a value, escaped for its context
//	image(path)            the address of a shop image with its srcset
//	page(id)               the current address of a page
//	for(path), if(path)    a block to repeat or to leave out
//
// A document without bindings is a single static. The guarded program is the one for /cart,
// /checkout and the other zones without scripts (4.6.6): the choice between the two programs is a
// pointer, so it cannot be forgotten.
//
// Bindings are names, not expressions:
//
//	for  = ident " in " path
//	if   = [ "!" ] path
//	path = ident { "." ident | "[" digits "]" }
//	hole = "{{" path "}}"
//
// Roots are products, product, menu, category, crumbs and the names of the enclosing loops.
// Fields come from one fixed table (slots.go); names are resolved to numbers here, so nothing is
// looked up while a page is drawn. An inserted value is never parsed again.
//
// The tree is that of x/net/html, the serializer our own: Render of that package writes noscript
// text and plaintext in ways that a browser parses differently. Style sheets are rewritten token
// by token with a lossless lexer; everything except selectors and addresses is copied byte for
// byte. Findings are collected along the way (report.go).
//
// Packages style, script and dom parse the parts of documents; fidelity finds what a document
// loses inside a page, when it is published.
//
// The package does no I/O and keeps no state: everything it needs of the release comes in Source.
package markup
