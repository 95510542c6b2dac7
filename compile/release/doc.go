// Package release says what may be published: which files a release of an html
// document, a layout folder or a site folder may hold, and what is found wrong
// with them before they go live (document 3, 2.3, 3, 4.2, 7 and 8).
//
// A release is an immutable list of files, its manifest. Its life:
//
//	request {base, files[], delete[]}  ── Plan ──►  manifest, what to upload
//	ZIP                                ── Unzip ─►  paths and bytes ──► Plan
//	local folder                       ── Walk ──►  paths ──► Plan
//	uploaded manifest                  ── Validate ► report; no errors: publish
//
// Plan and Unzip refuse what cannot be stored: hostile paths, wrong sizes, too
// much of anything. Their errors are *shop.Refusal. What can be stored but
// should not be served is a Finding: an error of the report stops publishing,
// a warning or an info does not. Forbidden kinds of files are findings
// (file.forbidden), not refusals, so that one look at the report names them all
// and the page that is live stays untouched.
//
// Paths are relative, separated by '/', at most 512 bytes of UTF-8, and compared
// byte for byte; two that differ only by case cannot live in one release.
// Nothing is mended: a path is taken as it is or refused by name.
//
// The two kinds of targets differ in numbers only: see Document and Folder.
// References between files are not looked at here; Unused takes what a
// compiler of html found. The package keeps no bytes, has no clock and does no
// I/O of its own: readers and file systems are handed in.
package release
