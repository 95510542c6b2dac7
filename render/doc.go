// Package render turns the contents of a page into bytes. It does no I/O, reads no clock and
// starts no goroutine: a page is a value and [Append] prints it.
//
// # Parts of a page
//
//	head        title, robots, canonical, Open Graph, stylesheet, JSON-LD
//	header      the default one, or the blocks of [Layout].Header
//	<main>      the page's blocks; one of them is the system drawing
//	footer      the default one, or the blocks of [Layout].Footer
//
// The system drawing is the content of a page without any block: the listing of a category,
// the gallery and price of a product, the text of an article. Html documents (document 3,
// 4.6) arrive as finished fragments and are copied between the pieces byte for byte, at full
// width and without a box; everything else goes through html/template, which escapes each
// value for its context.
//
// # The cascade
//
// The storefront style sheet and the author's share one page. The storefront's resets are in
// the layer "base" and its components, named with the prefix "v-", in the layer "storefront",
// so that an author's unlayered rule always wins. It sets no background on html, body or
// main: a document gets a white page and the system sans at 16 px. An author's rules cannot
// change the boxes of the page's own body and main, unless they belong to a layout: rules for
// body and main in a linked sheet are meant for the wrapper and for the author's own
// elements.
//
// # Without script
//
// Pages can be read and navigated without the storefront's script. The script is one ES
// module made of the files in assets/script, each about one subject. It adds a menu button
// for narrow screens, sliders, variant choosers, a cart kept in the browser, and navigation
// without full page loads: it fetches the page behind a link, replaces main, the differing
// parts of the rest and headers with scripts, and recreates the scripts of documents in their
// order (document 3, 4.6.5). Attributes and classes that those scripts set on html and body
// are also set on their wrapper. They are removed on leaving the page, and so are the
// listeners that the scripts added to document and window. Pages that cannot be replaced this
// way are loaded in full: the guarded zones, another version of the storefront's files,
// scripts that can run only once in a window, errors, and responses that are not pages.
package render
