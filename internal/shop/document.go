package shop

// DocumentKind is what of a shop has releases (document 3, 2.3 and 2.4).
type DocumentKind string

// The kinds of documents, as they are stored.
const (
	HTMLDocument DocumentKind = "html"   // a block mounts it on pages
	LayoutFolder DocumentKind = "theme"  // of a layout: head nodes, style sheets, fonts and icon of every page
	SiteFolder   DocumentKind = "folder" // of a section of type site: a complete static website
)

// ReleaseRoot is where the storefront serves the files of a release: /_html/{doc}/{rid}/.
func ReleaseRoot(doc DocumentID, id ReleaseID) string {
	return "/_html/" + doc.String() + "/" + id.String() + "/"
}

// ScopeClass is what bare body, html and :root of a document's style sheets
// become: a class of the element that stands for its body.
func ScopeClass(doc DocumentID) string { return "svc-body-" + doc.String() }
