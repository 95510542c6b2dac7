// Package redirect holds the redirect rules of a shop: the syntax of a rule, how the rules of a
// shop are compiled into a Set, and which rule answers an address (document 3, 2.6, 4.4, 4.5 and
// 7).
//
// # Addresses
//
// A visitor's address is parsed once, by Address.Parse. Rules are compared with its key:
// percent-decoded once, repeated "/" collapsed, trailing "/" dropped, ASCII letters lower-cased.
// So /Old//Page/, /old/page and /%6Fld/page are one address. There is no Unicode folding and no
// normalisation.
//
// # Sources
//
//	/old-page       exact: this key; may carry a condition on one query pair
//	/goods/*        prefix: /goods and everything below it; the tail is appended to the target
//	/blog/*/a*b     mask: a star is a piece of one segment, one character or more
//	/docs/**        mask: ** is the whole last segment, zero or more segments
//
// A segment has at most one star and a mask at most nine, so a mask is matched segment by segment
// without backtracking. A literal star is written %2A.
//
// # Targets
//
//	/new?from=old#top       a path of the shop, with its own query and fragment
//	/archive/$2/$1          $1 to $9 are the stars of the source, left to right
//	https://example.test/   an http(s) address; the rule must be external
//
// A star is inserted into the target as the visitor typed it: path-escaped in a path or fragment,
// query-escaped in a query, never in the host. The visitor's query follows the target's own.
//
// # Order
//
// Exact rules with a condition, plain exact rules, masks, prefixes; among several matching masks
// or prefixes, the one with the lowest sort order wins.
//
// The package does not handle live pages, service paths and chains of rules: packages compile and
// compile/loop do.
package redirect
