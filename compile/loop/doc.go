// Package loop checks that the redirects of a shop end: that no address leads back
// to itself, grows without bound or takes more than MaxHops (document 3, section
// 4.5).
//
// The check walks chains. Shop.Chain resolves an address and every address that its
// redirects lead to, with the steps that serve visitors, so the .html hop, the journal
// and the fallback count like rules. Each exact rule is walked from its source. Masks
// and prefixes are walked from probes (redirect.Set.Probe), which have a word that no
// rule mentions in place of each star. When the chain of a probe reaches an address that
// another rule would match if a word were replaced by some text, a second probe with
// that text is queued, and so on from there. In the same way a probe's query gets the
// pairs that conditions require, and a word gets the ending .html. Live pages are walked
// last, if a rule with override_live may match them.
//
// A circle with an exact rule is found from the source of that rule. A circle of
// prefixes, and of masks that keep their tail at the end of the target, treats the
// address like a stack: from some redirect on no rule looks at the tail, so its words
// need no other text.
//
// # What it does not find
//
// Every reported fault is a chain that was walked, so there are no false positives.
// A chain counts as growing without bound when its address becomes too long
// (Circle.Grown), or when a thousand redirects leave the address longer; such a chain
// may end after all, and is then refused with ErrLoop instead of ErrChainTooLong.
//
// Masks can move text within an address, which makes them a string rewriting system, so
// the question is undecidable in general. The walk misses circles whose shortest address needs more
// than maxDepth replaced words (grownDepth, where it grows until it is too long), a tail of more
// than maxTail segments that its rule moves to the middle of a target, more than maxPairs
// conditions beside that of the first rule, or more than maxLength bytes. In sets of many rules
// that lead to each other it also misses circles that are not found within maxSteps and
// maxCompared.
//
// Of the chains that end, but after too many redirects, it misses those in which a
// star in the query of a target meets a condition, and those that need the tail of a
// prefix to hold the source of another rule, unless exact rules send at least six of
// their redirects. It does not count .html that a visitor appends to an address.
//
// A visitor's browser stops at a circle that was missed; nothing in the platform loops.
//
// # Why it does not just try words
//
// Filling the stars of each rule with the words of all rules and one fresh word
// misses stars that have to hold two words ("fragments" in
// testdata/redirect/circles.jsonl). With pairs of words as well it misses stars that
// are .html alone, long tails and texts that double ("pairs"), and tries the square
// of the words for each star, of which a shop of 20,000 rules has as many.
package loop
