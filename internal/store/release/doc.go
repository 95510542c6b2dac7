// Package release stores html documents, their releases with every file, and the site
// folders of sections. Publishing sets the active release of a document in one transaction.
package release
