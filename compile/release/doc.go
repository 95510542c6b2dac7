// Package release defines what may be published: the files that a release of an html document, a
// layout folder or a site folder may contain, and the checks they must pass before they go live
// (document 3, 2.3, 3, 4.2, 7 and 8).
//
// A release is an immutable list of files, its manifest. Its life cycle:
//
//	request {base, files[], delete[]}  ── Plan ──►  manifest, what to upload
//	ZIP                                ── Unzip ─►  paths and bytes ──► Plan
//	local folder                       ── Walk ──►  paths ──► Plan
//	uploaded manifest                  ── Validate ► report; no errors: publish
//
// Plan and Unzip refuse what cannot be stored: hostile paths, wrong sizes, exceeded limits. Their
// errors are *shop.Refusal. Files that can be stored but should not be served yield a Finding: an
// error of the report prevents publishing, a warning or an info does not. Forbidden kinds of
// files are findings (file.forbidden), not refusals, so that one report names them all and the
// live page is not affected.
//
// Paths are relative, separated by '/', at most 512 bytes of UTF-8, and compared byte for byte;
// two that differ only by case cannot be in one release. Paths are never corrected: each is
// accepted as it is or refused by name.
//
// The two kinds of targets differ only in their limits: see Document and Folder. References
// between files are not checked here; Unused accepts the result of a compiler of html. The
// package stores no bytes, has no clock and does no I/O of its own: the caller passes readers and
// file systems.
package release
