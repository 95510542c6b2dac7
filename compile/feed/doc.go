// Package feed is the language of site files: Go templates on a snapshot of the
// catalogue (document 3, 2.5 and 4.3).
package feed
