package compose

import (
	"vitrine/internal/shop"
	"vitrine/internal/store/media"
	"vitrine/render"
)

// completePictures adds to every picture of a page what is needed before it has loaded: its size,
// its colour and the owner's description.
func (p *page) completePictures(page render.Page) error {
	if page == nil {
		return nil
	}
	var paths []string
	all := render.Pictures(page)
	for _, i := range all {
		if path, ours := shop.FilePath(i.Path); ours {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	known, err := media.Pictures(p.ctx, p.r, paths)
	if err != nil {
		return err
	}
	for _, i := range all {
		var row media.Picture
		if path, ours := shop.FilePath(i.Path); ours {
			row = known[path]
		}
		if i.Width == 0 || i.Height == 0 {
			i.Width, i.Height = row.Width, row.Height
		}
		i.Colour = row.Colour
		if i.Told == "" { // the description at the place of use has priority
			i.Told = row.Alt
		}
	}
	return nil
}

func imageOf(f media.File, alt string) render.Image {
	return render.Image{Path: shop.FileURL(f.Path), Alt: alt, Width: f.Width, Height: f.Height}
}
