package compile

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// demo is the shop used by the tables.
//
//	1 home   /             2 shoes  /shoes          3 boots  /shoes/boots
//	4 hidden (unpublished) 5 secret below hidden    6 news   /news
//	7 docs   /docs (site)  8 Sale   /Sale           9 about  /about, below home
func demo() Input {
	return Input{
		Shop: Shop{
			ID: 1, Slug: "demo", Origin: "https://shop.test:8443",
			Hosts: []string{"shop.test", "www.shop.test"}, MissFallback: true,
		},
		Categories: []Category{
			{ID: 3, Parent: 2, Slug: "boots", Name: "Boots", Type: TypeProduct, Order: 1, Published: true, ShowMenu: true},
			{ID: 1, Slug: "home", Name: "Home", Type: TypePage, Order: 1, Published: true, Home: true},
			{ID: 2, Slug: "shoes", Name: "Shoes", Type: TypeProduct, Order: 2, Published: true, ShowMenu: true},
			{ID: 4, Slug: "hidden", Name: "Hidden", Type: TypeProduct, Order: 3, ShowMenu: true},
			{ID: 5, Parent: 4, Slug: "secret", Name: "Secret", Type: TypeProduct, Order: 1, Published: true, ShowMenu: true},
			{ID: 6, Slug: "news", Name: "News", Type: TypeNews, Order: 4, Published: true},
			{ID: 7, Slug: "docs", Name: "Docs", Type: TypeSite, Order: 5, Published: true},
			{ID: 8, Slug: "Sale", Name: "Sale", Type: TypeProduct, Order: 6, Published: true},
			{ID: 9, Parent: 1, Slug: "about", Name: "About", Type: TypePage, Order: 1, Published: true},
		},
		Products: []Product{
			{ID: 10, Category: 3, Slug: "red-boot", Published: true},
			{ID: 11, Category: 3, Published: true},
			{ID: 12, Category: 5, Slug: "orphan", Published: true},
			{ID: 13, Category: 3, Slug: "draft-boot"},
			{ID: 14, Category: 3, Slug: "gone-boot", Published: true, Deleted: true},
			{ID: 15, Slug: "loose", Published: true},
			{ID: 16, Category: 1, Slug: "gone-home", Deleted: true},
			{ID: 17, Category: 1, Slug: "mug", Published: true},
			{ID: 18, Category: 2, Slug: "twin", Published: true},
			{ID: 19, Category: 5, Slug: "gone-secret", Deleted: true},
		},
		Articles: []Article{
			{ID: 20, Category: 6, Slug: "hello", Published: true},
			{ID: 21, Category: 4, Slug: "whisper", Published: true},
			{ID: 22, Category: 6, Slug: "twin", Published: true},
			{ID: 23, Category: 6, Slug: "draft-news"},
		},
		Journal: []Journal{
			{EntityCategory, "bootz", 3},
			{EntityProduct, "crimson-boot", 10},
			{EntityProduct, "dull-boot", 13},
			{EntityArticle, "hullo", 20},
			{EntityProduct, "loose", 10},
			{EntityProduct, "nobody", 99},
			{EntityProduct, "reused", 17},
			{EntityProduct, "reused", 10},
		},
		Files: []SiteFile{
			{ID: 31, Name: "ads.txt", Published: true},
			{ID: 32, Name: "promo.html", Published: true},
			{ID: 33, Category: 3, Name: "feed.xml", Published: true},
			{ID: 34, Name: "draft.txt"},
			{ID: 35, Category: 77, Name: "lost.txt", Published: true},
		},
	}
}

// rules builds a set from "from to [flags]" lines, in sort order; the id of a rule is its line
// number. Flags: override, drop, 302, mask, ?key=value.
func rules(lines ...string) []redirect.Rule {
	var list []redirect.Rule
	for i, line := range lines {
		f := strings.Fields(line)
		r := redirect.Rule{ID: shop.RuleID(i + 1), From: f[0], To: f[1], Enabled: true, SortOrder: i}
		r.External = strings.Contains(r.To, "://")
		for _, flag := range f[2:] {
			switch {
			case flag == "override":
				r.OverrideLive = true
			case flag == "drop":
				r.DropQuery = true
			case flag == "302":
				r.Code = 302
			case flag == "mask":
				r.Kind = redirect.Pattern
			case flag[0] == '?':
				r.QueryMatch = flag
			}
		}
		r, err := redirect.Normalize(r)
		if err != nil {
			panic(fmt.Sprintf("%s: %v", line, err))
		}
		list = append(list, r)
	}
	return list
}

func withRules(in Input, lines ...string) *Site {
	in.Rules = rules(lines...)
	return New(in)
}

// rulesOnly is a shop without pages and without the fallback.
func rulesOnly(lines ...string) *Site {
	return New(Input{Shop: Shop{Origin: "https://shop.test", Hosts: []string{"shop.test"}}, Rules: rules(lines...)})
}

// print formats a Decision in one line: "301 /new rule 3", "category 3", "404".
func (d Decision) print() string {
	switch d.Kind {
	case Redirect:
		text := fmt.Sprintf("%d %s %s", d.Status, d.Location, d.By)
		if d.Rule != 0 {
			text += " " + d.Rule.String()
		}
		return text
	case Page:
		name := [...]string{"home", "category", "product", "article"}[d.Page.Entity]
		if d.Page.Entity != 0 {
			name += fmt.Sprintf(" %d", d.Page.ID)
		}
		if d.Rest != "" {
			name += " rest " + d.Rest
		}
		return name
	case File:
		return fmt.Sprintf("file %d", d.File)
	case NotFound:
		if d.Log {
			return "404"
		}
		return "404 unlogged"
	}
	return map[Kind]string{BadAddress: "400", TooLong: "414", Service: "service"}[d.Kind]
}

type row struct{ target, want string }

// expect resolves each row and compares the printed Decision.
func expect(t *testing.T, s *Site, host string, rows []row) {
	t.Helper()
	w := &Walk{}
	for _, r := range rows {
		if got := s.Resolve(w, host, r.target).print(); got != r.want {
			t.Errorf("%s%s\n got  %s\n want %s", host, r.target, got, r.want)
		}
	}
}
