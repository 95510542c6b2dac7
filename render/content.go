package render

import "vitrine/internal/shop"

// Content is a page put together, but for the html documents, which are hung
// into the places of Mounts and Layout once they are compiled.
type Content struct {
	Page   Page // a pointer nobody else holds
	Mounts []Mount
	Layout Release    // the live release of the layout's folder, 0 without one
	Keys   []shop.Key // what it was read from, id 0 for any of a kind; also of a page that is not there
}

// Release names a release of an html document.
type Release struct {
	Document shop.DocumentID
	ID       shop.ReleaseID
}

// Mount is a place where an html document stands on a page.
type Mount struct {
	Release
	Into *Block // a BlockHTML of the page's Layout, whose Fragment is set
}
