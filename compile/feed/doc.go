// Package feed implements the language of site files: Go templates over a
// snapshot of the catalogue (document 3, 2.5 and 4.3). A body becomes a feed in
// these steps:
//
//	Compile     checks size, UTF-8, syntax and names, and refuses templates that
//	            can reach themselves
//	assemble    turns the tree of text/template/parse into closures over a closed
//	            set of value types: no reflection, no methods, and no functions
//	            but those of one table
//	Render      runs the closures within bounds: entering a list and running a
//	            statement are steps, in empty ranges too; values are measured
//	            before they are built; Options.Stop is called at intervals
//	escaper     tracks the syntax of the output and escapes each value for its
//	            context: an XML attribute, a CSV cell, a JSON string. Constant
//	            text changes its state, values cannot
//	Result      counts the products, maps output bytes to template lines, and
//	            reports whether the output is well-formed
//
// It produces the same bytes and the same error lines as text/template; tests
// compare the two. It differs where a feed would suffer: a format that does not
// fit its arguments is an error instead of %!d(MISSING).
//
// The package has no clock and does no I/O: the catalogue is a value, and the
// caller supplies the time. Package lint checks the output against the rules of
// marketplaces.
package feed
