// Package compose builds pages from rows: it returns complete values of package render.
//
//	content.go    the page that was requested, and its own content
//	design.go     the blocks that the shop placed on it: layer.go, widget.go, listing.go
//	frame.go      the rest of the page: shop, addresses, menu, crumbs
//	bindings.go   the live data that its html documents use
//
// The html documents themselves are compiled and cached by the edge, which inserts them at the
// mounts of a page.
package compose
