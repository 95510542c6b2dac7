package shop

// DocumentKind is the kind of an owner of releases (document 3, 2.3 and 2.4).
type DocumentKind string

// The kinds of documents, as they are stored.
const (
	HTMLDocument DocumentKind = "html"   // mounted on pages by a block
	LayoutFolder DocumentKind = "theme"  // of a layout: head nodes, style sheets, fonts and icon of every page
	SiteFolder   DocumentKind = "folder" // of a section of type site: a complete static website
)

// ReleaseRoot returns the path below which the storefront serves the files of a release:
// /_html/{doc}/{rid}/.
func ReleaseRoot(doc DocumentID, id ReleaseID) string {
	return "/_html/" + doc.String() + "/" + id.String() + "/"
}

// ScopeClass returns the class that replaces body, html and :root in a document's style
// sheets: a class of the element that represents its body.
func ScopeClass(doc DocumentID) string { return "svc-body-" + doc.String() }
