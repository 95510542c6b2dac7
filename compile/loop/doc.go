// Package loop proves that the redirects of a shop end: that no address leads
// back to itself, grows without bound or takes more than MaxHops (document 3,
// section 4.5).
//
// It first makes a graph of the rules (graph.go): an edge where one may answer
// what another leads to. The graph has more edges than there are, so where it
// has no circle and no way of more than ten hops (knots.go), neither has the
// set; most sets are decided by that alone. Elsewhere open addresses are walked
// (explore.go), whose holes stand for any text (redirect.Open), and are narrowed
// to what the rules on the way ask for. Circles through live pages are looked
// for last (around.go).
//
// # What it may answer wrongly
//
// A fault is a chain that the shop's own steps have walked, so what it names is
// never a chain that ends in time. Growing without bound means: until the
// address is too long (Circle.Grown), or through a thousand redirects that leave
// it longer. Such a chain may end after all; it is refused in any case, with
// ErrLoop where ErrChainTooLong would be the exact word.
//
// Circles through prefixes, exact rules, conditions, .html, pages, the journal
// and the fallback are found whatever their addresses. Masks that move text
// within an address can compute, so nothing decides all of their chains: there,
// and where a ** lands inside a target or is repeated, circles are found whose
// addresses take at most twelve narrowings. The same holds for chains that ask
// for more than seven pairs of one query, and for a search that has followed
// maxSteps redirects. What is missed there ends as browsers end it; nothing in
// the platform loops.
//
// # Why it does not just try words
//
// Filling the stars of each rule with the words of all rules and one fresh
// word, and walking from there, misses stars that have to hold two words
// ("fragments" in testdata/redirect/circles.jsonl). With pairs of words as well
// it misses stars that are .html alone, long tails and texts that double
// ("pairs"), and tries the square of the words for each star, of which a shop
// of 20,000 rules has as many.
//
// The package knows no pages and no journal: a Shop hands it the steps.
package loop
