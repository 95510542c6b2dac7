package render

// Paging is the position in a listing with pages. The zero value is a listing without pages.
type Paging struct {
	Current int // from 1
	Pages   int
	Search  string // search words, part of the address of every page
	Narrow  Narrowing
}

// PageLink is one entry of the page links. Number 0 is a gap.
type PageLink struct {
	Number  int
	Path    string
	Current bool
}

// address is the address of page n of the listing at a path.
func (p Paging) address(path string, n int) string { return address(path, p.Search, p.Narrow, n) }

// prev and next are the addresses of the neighbouring pages, empty at the ends.
func (p Paging) prev(path string) string {
	if p.Current <= 1 || p.Current > p.Pages {
		return ""
	}
	return p.address(path, p.Current-1)
}

func (p Paging) next(path string) string {
	if p.Current < 1 || p.Current >= p.Pages {
		return ""
	}
	return p.address(path, p.Current+1)
}

// links lists the first and last page, the current one with its neighbours, and gaps between
// them: at most seven entries, however long the listing is. A gap of a single page is
// replaced by that page.
func (p Paging) links(path string) []PageLink {
	if p.Pages <= 1 {
		return nil
	}
	var links []PageLink
	last := 0
	add := func(n int) {
		links = append(links, PageLink{Number: n, Path: p.address(path, n), Current: n == p.Current})
		last = n
	}
	for _, n := range [...]int{1, p.Current - 1, p.Current, p.Current + 1, p.Pages} {
		switch {
		case n <= last || n > p.Pages:
			continue
		case n-last == 2:
			add(n - 1)
		case n-last > 2:
			links = append(links, PageLink{})
		}
		add(n)
	}
	return links
}
