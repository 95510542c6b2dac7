// Package feed is the language of site files: Go templates on a snapshot of the
// catalogue (document 3, 2.5 and 4.3). Its way from a body to a feed:
//
//	Compile     size, UTF-8, syntax, names; no template may reach itself
//	assemble    the tree of text/template/parse becomes closures over a closed
//	            set of values: no reflection, no methods, nothing to call but
//	            the functions of one table
//	Render      runs them within bounds: every list entered and every statement
//	            is a step, also in an empty range; values are measured before
//	            they are built; Options.Stop is asked now and then
//	escaper     follows the output and escapes each value for where it stands:
//	            an XML attribute, a CSV cell, a JSON string. Constant text moves
//	            it, values cannot
//	Result      what was offered, which line wrote what, whether the output is
//	            well-formed
//
// It does what text/template does, to the byte and to the line of an error; tests
// compare the two. It differs where a feed would suffer: a format that does not
// fit its arguments is an error and not %!d(MISSING).
//
// The package has no clock and reads nothing: the catalogue is a value, and the
// time is the caller's. What a marketplace makes of the output is package lint.
package feed
