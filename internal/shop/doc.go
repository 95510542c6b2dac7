// Package shop holds the nouns of a shop: ids, refusals, scopes, roles,
// contours, slugs. It is the vocabulary that every other package speaks and
// imports nothing but the standard library.
//
// It does no I/O and knows neither HTTP nor SQL. Where a noun needs a rule that
// is more than its spelling (the order of addresses, the grammar of redirects),
// the rule lives in a package of its own under compile.
package shop
