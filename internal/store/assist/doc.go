// Package assist stores the programs through which people buy (platforms) and the carts and
// checkouts that these fill (sessions).
//
// A session has a guest of its own, whose cart has its lines: so an order takes them as it takes those
// of any buyer. The session is one row, which every change of it locks first.
package assist
