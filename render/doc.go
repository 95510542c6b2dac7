// Package render turns what a page shows into its bytes. It does no I/O, knows
// no clock and starts no goroutine: a page is a value, [Append] prints it.
//
// # How a page is put together
//
//	head        title, robots, canonical, Open Graph, stylesheet, JSON-LD
//	header      the default one, or the blocks of [Layout].Header
//	<main>      the page's blocks; one of them is the system drawing
//	footer      the default one, or the blocks of [Layout].Footer
//
// The system drawing is what a page shows without any block: the listing of a
// category, the gallery and price of a product, the text of an article. Html
// documents (document 3, 4.6) arrive as finished fragments and are copied
// between the pieces byte for byte, full width and without a box; everything
// else goes through html/template, which escapes each value for the place it
// lands in.
//
// # The cascade
//
// The storefront stylesheet and the author's share one page. Its resets stand
// in the layer "base" and its components, named with the prefix "v-", in the
// layer "storefront", so that an author's unlayered rule always wins. It paints
// nothing on html, body or main: a document sees a white page and the system
// sans at 16 px. Only the boxes of the page's own body and main are out of an
// author's reach, unless they are a layout's: what a linked sheet says of body
// and main is meant for the wrapper and for the author's own.
//
// # Without script
//
// Pages read and navigate without the storefront's script. It is one ES module
// made of the files in assets/script, each about one noun. It adds a menu button
// for narrow screens, sliders, variant choosers, a cart kept in the browser, and
// visits inside the shop: the page behind a link is fetched, main, what differs
// of the rest and headers with scripts are put in place, and scripts of documents are
// made anew in their order (document 3, 4.6.5). What those scripts put on html and
// body their wrapper gets too, and it leaves with them, as what they listen to on
// document and window does. Whatever cannot be done so
// is loaded in full: the guarded zones, another version of the storefront's files,
// scripts that run only once in a window, an error, what is no page.
package render
