package edge

import (
	"strconv"
	"strings"

	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/render"
)

// complete fills in what a page shows of the compiled site.
func complete(content Content, site *compile.Site, want Want) {
	f, name := frameOf(content.Page)
	if f == nil {
		return
	}
	sh := site.Shop()
	f.Shop = render.Shop{Name: sh.Name, Currency: sh.Currency, Origin: sh.Origin}
	switch want.Kind {
	case LivePage:
		f.Path = site.URL(want.Page)
		f.Canonical = sh.Origin + f.Path
		if want.Number > 1 {
			f.Canonical += "?page=" + strconv.Itoa(want.Number)
		}
		f.Crumbs = crumbs(site, content.Section, want.Page, name)
		f.Search = want.Search
	case GuardedPage:
		f.Path, f.Guarded = "/"+string(want.Zone), true
		f.SEO.NoIndex = true
	case MissingPage, FormPage:
		f.Path, f.Guarded = "/", want.guarded()
		f.SEO.NoIndex = true
	}
	f.Menu = menuOf(site.Menu(), f.Path)
}

// frameOf returns the frame of a page, and the name of what it is about where
// that is no category.
func frameOf(page render.Page) (*render.Frame, string) {
	switch p := page.(type) {
	case *render.Home:
		return &p.Frame, ""
	case *render.Listing:
		return &p.Frame, ""
	case *render.Rubric:
		return &p.Frame, ""
	case *render.TextPage:
		return &p.Frame, ""
	case *render.ProductPage:
		return &p.Frame, p.Product.Name
	case *render.ArticlePage:
		return &p.Frame, p.Article.Title
	case *render.NotFoundPage:
		return &p.Frame, ""
	case *render.ZonePage:
		return &p.Frame, ""
	case *render.FormPage:
		return &p.Frame, ""
	case *render.PinPage:
		return &p.Frame, ""
	}
	return nil, ""
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
			Current: path == m.URL || m.URL != "/" && strings.HasPrefix(path, m.URL+"/"),
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
