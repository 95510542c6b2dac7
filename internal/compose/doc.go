// Package compose puts pages together: rows in, complete values of render out.
//
//	content.go    which page is wanted, and its own part
//	design.go     the blocks that the shop put on it: layer.go, widget.go, listing.go
//	frame.go      what stands around it: shop, addresses, menu, crumbs
//	bindings.go   the live data that its html documents ask for
//
// The html documents themselves are compiled and kept by the edge, which hangs
// them into the places that a page names.
package compose
