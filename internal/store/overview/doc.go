// Package overview reads across the nouns of a shop for its members: a search over everything, and
// the counts of what waits for them. It writes nothing.
package overview
