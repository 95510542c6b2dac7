package compose

import (
	"errors"

	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
	"vitrine/render"
)

// seoOf returns the metadata of a page for search engines. Its Open Graph picture is the file
// that the owner chose, else the address that the owner entered. A deleted file is ignored.
func (p *page) seoOf(s catalog.SEO) (render.SEO, error) {
	out := render.SEO{
		Heading: s.PageTitle, Title: s.MetaTitle, Description: s.MetaDescription, Keywords: s.MetaKeywords,
		NoIndex: s.NoIndex, NoFollow: s.NoFollow, Image: render.Image{Path: s.OGImageURL},
	}
	for _, t := range s.Alternates {
		out.Twins = append(out.Twins, render.Twin(t))
	}
	if s.OGImageID == nil {
		return out, nil
	}
	f, err := media.GetFile(p.ctx, p.r, *s.OGImageID)
	if errors.Is(err, media.ErrFileNotFound) {
		return out, nil
	}
	if f.Path != "" {
		out.Image = imageOf(f, "")
	}
	return out, err
}
