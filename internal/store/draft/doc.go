// Package draft compares a shop's draft with its live rows, checks what publishing would
// break, and publishes or discards a selection in one transaction, together with what it
// needs.
//
// Which contour a call reads and writes is decided in package store; this package is about
// the difference between the two.
package draft
