package compose

import (
	"strconv"

	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/render"
)

// Frame fills in the parts of a page that come from the compiled site: shop, addresses, menu and
// crumbs. section is the category of the page, or 0.
func Frame(page render.Page, site *compile.Site, section shop.CategoryID, want render.PageRequest) {
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
	f.Menu = menuOf(site.Menu(), menuPath(site, want, f.Path))
}

// menuPath returns the path whose menu entry is marked as current: for a review that of its
// product. A form gets none here: the edge knows which page it belongs to.
func menuPath(site *compile.Site, want render.PageRequest, path string) string {
	switch want.Kind {
	case render.WantMissing, render.WantForm:
		return ""
	case render.WantRemark:
		return site.URL(want.Page)
	}
	return path
}

// nameOf returns the name of a product or article, "" for other pages.
func nameOf(page render.Page) string {
	switch p := page.(type) {
	case *render.ProductPage:
		return p.Product.Name
	case *render.ArticlePage:
		return p.Article.Title
	}
	return ""
}

// menuOf returns the shop's menu with the entries that contain a path marked as current.
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

// crumbs lists the sections from the root to the page, without the home page. The last crumb has
// no link.
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
