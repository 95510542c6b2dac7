package compose

import (
	"strconv"

	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/render"
)

// Frame fills in what stands around a page and is known from the compiled site;
// section is the category that the page stands in, 0 without one.
func Frame(page render.Page, site *compile.Site, section shop.CategoryID, want render.Want) {
	sh := site.Shop()
	f := render.FrameOf(page)
	f.Shop = render.ShopOf(sh)
	switch want.Kind {
	case render.WantPage, render.WantFeed:
		f.Path = site.URL(want.Page)
		f.Canonical = sh.Origin + f.Path
		if want.Number > 1 {
			f.Canonical += "?page=" + strconv.Itoa(want.Number)
		}
		f.Crumbs = crumbs(site, section, want.Page, nameOf(page))
		f.Search = want.Search
		f.Feed = site.FeedURL(compile.PageRef{Entity: compile.EntityCategory, ID: int64(section)})
	case render.WantZone:
		f.Path, f.Guarded = "/"+string(want.Zone), true
		f.SEO.NoIndex = true
	case render.WantSearch, render.WantSuggest:
		f.Path, f.Search = render.SearchPath, want.Search
		f.Canonical = sh.Origin + render.SearchFor(want.Search)
	case render.WantMissing, render.WantForm, render.WantRemark:
		f.Path, f.Guarded = "/", want.Guarded()
		f.SEO.NoIndex = true
	}
	f.PageURL = func(id shop.CategoryID) string {
		return site.URL(compile.PageRef{Entity: compile.EntityCategory, ID: int64(id)})
	}
	f.Menu = menuOf(site.Menu(), placeInMenu(site, want, f.Path))
}

// placeInMenu is the path by which the menu marks what is current: a review belongs to
// its product, a form to the page that leads to it, which the edge knows.
func placeInMenu(site *compile.Site, want render.Want, path string) string {
	switch want.Kind {
	case render.WantMissing, render.WantForm:
		return ""
	case render.WantRemark:
		return site.URL(want.Page)
	}
	return path
}

// nameOf is the name of what a page is about where that is no category.
func nameOf(page render.Page) string {
	switch p := page.(type) {
	case *render.ProductPage:
		return p.Product.Name
	case *render.ArticlePage:
		return p.Article.Title
	}
	return ""
}

// menuOf is the shop's menu as a page at a path shows it.
func menuOf(items []compile.MenuItem, path string) []render.MenuItem {
	if len(items) == 0 {
		return nil
	}
	out := make([]render.MenuItem, len(items))
	for i, m := range items {
		out[i] = render.MenuItem{
			Name: m.Name, Path: m.URL, Children: menuOf(m.Children, path),
			Current: render.Within(path, m.URL),
		}
	}
	return out
}

// crumbs leads from the first section down to the page; the home page is left
// out, and the last one is no link.
func crumbs(site *compile.Site, section shop.CategoryID, page compile.PageRef, name string) []render.Crumb {
	var out []render.Crumb
	add := func(c compile.Category, path string) {
		if path != "/" && path != "" {
			out = append(out, render.Crumb{Name: c.Name, Path: path})
		}
	}
	for _, c := range site.Ancestors(section) {
		add(c, site.Path(c.ID))
	}
	if c, ok := site.Category(section); ok {
		add(c, site.Path(section))
	}
	if page.Entity == compile.EntityProduct || page.Entity == compile.EntityArticle {
		out = append(out, render.Crumb{Name: name})
	} else if n := len(out); n > 0 {
		out[n-1].Path = ""
	}
	return out
}
