package render

import (
	"time"

	"vitrine/internal/shop"
)

// ArticleCard is an article in a grid.
type ArticleCard struct {
	ID        shop.ArticleID
	Title     string
	Path      string
	Announce  string
	Cover     Image     // empty Path: neither cover nor badge is drawn
	Badge     string    // drawn over the cover (document 1, 2.7)
	Rubric    Crumb     // the section it belongs to
	Published time.Time // zero: no date is shown
	Author    Author
}

// Article is an article on its own page. Its text is the page's blocks.
type Article struct {
	ArticleCard
	Modified time.Time // zero: not shown
	Gallery  []Image   // drawn at BlockAlbum
	Media    []Media   // videos, audio and texts of its galleries, drawn after them
}

// Author is the author named under an article; an empty Name shows none.
type Author struct {
	Name        string
	Description string
	Photo       Image
}
