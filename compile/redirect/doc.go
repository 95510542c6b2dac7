// Package redirect holds the redirect rules of a shop: what a rule may say, how
// the rules of a shop are compiled into a Set, and which rule answers an
// address (document 3, 2.6, 4.4, 4.5 and 7).
//
// # Addresses
//
// A visitor's address is taken apart once, by Address.Parse. Rules compare with
// its key: percent-decoded once, repeated "/" collapsed, trailing "/" dropped,
// ASCII letters lower-cased. So /Old//Page/, /old/page and /%6Fld/page are one
// address. There is no Unicode folding and no normalisation.
//
// # Sources
//
//	/old-page       exact: this key; may carry a condition on one query pair
//	/goods/*        prefix: /goods and everything below it; the tail travels on
//	/blog/*/a*b     mask: a star is a piece of one segment, one character or more
//	/docs/**        mask: ** is the whole last segment, zero or more segments
//
// A segment holds at most one star and a mask at most nine, so a mask is
// matched segment by segment without going back. A star that is meant as a
// character is written %2A.
//
// # Targets
//
//	/new?from=old#top       a path of the shop, with its own query and fragment
//	/archive/$2/$1          $1 to $9 are the stars of the source, left to right
//	https://example.test/   an http(s) address; the rule must be external
//
// A star goes into the target as the visitor typed it: path-escaped in a path
// or fragment, query-escaped in a query, never in the host. The visitor's query
// follows the target's own.
//
// # Order
//
// Exact rules with a condition, plain exact rules, masks, prefixes; of several
// masks or prefixes that match, the one with the lowest sort order.
//
// The package knows nothing of live pages, service paths and chains of rules:
// those are decided where an address is walked, in packages compile and
// compile/loop.
package redirect
