// Package feed is the language of site files: Go templates on a snapshot of the
// catalogue, for feeds, ads.txt and verification files (document 3, 2.5 and 4.3).
//
// # How a body becomes a file
//
// Compile parses a body with text/template/parse and refuses what saving
// refuses: what is too long, not UTF-8, not a template, names unknown functions
// or templates, or can reach itself. What is left becomes closures over a closed
// set of values (value.go), without reflection. The tests hold them against
// text/template: the same bytes, the same error lines.
//
// Render runs the closures on a Catalogue, which never changes, so that a feed is
// consistent with itself. Nothing in here knows the time or waits: the caller's
// Options bring the time that now prints and the question whether to go on.
//
// # Bounds
//
// A template cannot be interrupted from outside, so each list of its tree counts
// steps when it is entered, also an empty one: {{range 100000000000}}{{end}}
// ends at 20,000,000 steps like everything else. Output is bounded where it is
// written, values where they are built, and the texts that variables and waiting
// arguments hold by their sum. What is over a bound is a Problem with a line.
//
// # Escaping
//
// Values are escaped at run time, by where the output stands. For each format an
// escaper follows the output as a reader would: constant text moves its state,
// values cannot. So there are no branches to be merged and no template is
// refused for them; and at the end the escaper knows whether the output is a
// whole document, and which line broke it (Result.Broken).
//
//	format  where                     a value becomes
//	XML     text, attribute           & < > " ' as references, without what XML forbids
//	        attribute without quotes  the same, in quotes
//	        CDATA, comment            itself, unable to end them
//	        tag                       the letters, digits and - _ . : in it
//	JSON    in a string               escaped without quotes
//	        where a value is due      a string, number, true, null, array
//	CSV     cell                      quoted if it must be; formulas get a ' in front
//	HTML    text, attribute           & < > " ' ` as references
//	        address                   # unless its scheme is harmless
//	        script, style             characters that mean nothing there
//	plain   everywhere                itself
//
// # Rebuilding
//
// A traced render notes which line of the template wrote what, and where the
// output of each product begins and ends. Where the body of a range over
// products depends on the product and the shop alone (pure.go), the next render
// copies the fragments of products whose version is the same: Result.Keep,
// Options.Kept.
//
// What a marketplace thinks of a feed is the matter of package lint below.
package feed
