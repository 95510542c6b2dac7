package render

import "vitrine/internal/shop"

// Content is an assembled page, except for the html documents, which are put into the places
// of Mounts and Layout once they are compiled.
type Content struct {
	Page   Page // a pointer that nothing else holds
	Mounts []Mount
	Layout Release    // the live release of the layout's folder, 0 without one
	Keys   []shop.Key // the entities it was read from, id 0 for any of a kind; also set for a page that does not exist
}

// Release identifies a release of an html document.
type Release struct {
	Document shop.DocumentID
	ID       shop.ReleaseID
}

// Mount is a place on a page for an html document.
type Mount struct {
	Release
	Into *Block // a BlockHTML of the page's Layout, whose Fragment is set
}
