package render

import "strconv"

// Paging says which page of a listing this is. The zero value is a listing
// without pages.
type Paging struct {
	Current int // from 1
	Pages   int
}

// PageLink is one entry of the page links. Number 0 is a gap.
type PageLink struct {
	Number  int
	Path    string
	Current bool
}

// query is the query string of a page: empty for the first, "?page=2" after it.
func (p Paging) query(n int) string {
	if n <= 1 {
		return ""
	}
	return "?page=" + strconv.Itoa(n)
}

// prev and next are the addresses of the neighbours, empty at the ends.
func (p Paging) prev(path string) string {
	if p.Current <= 1 || p.Current > p.Pages {
		return ""
	}
	return path + p.query(p.Current-1)
}

func (p Paging) next(path string) string {
	if p.Current < 1 || p.Current >= p.Pages {
		return ""
	}
	return path + p.query(p.Current+1)
}

// links are the first and last page, the current one with its neighbours, and
// gaps between them; at most nine entries however long the listing is.
func (p Paging) links(path string) []PageLink {
	if p.Pages <= 1 {
		return nil
	}
	var links []PageLink
	last := 0
	for n := 1; n <= p.Pages; n++ {
		if n != 1 && n != p.Pages && (n < p.Current-1 || n > p.Current+1) {
			// Jump over the gap: a listing may have thousands of pages.
			if n > p.Current+1 {
				n = p.Pages
			} else {
				n = p.Current - 1
			}
		}
		switch {
		case n-last == 2:
			links = append(links, PageLink{Number: n - 1, Path: path + p.query(n-1)})
		case n-last > 2:
			links = append(links, PageLink{})
		}
		links = append(links, PageLink{Number: n, Path: path + p.query(n), Current: n == p.Current})
		last = n
	}
	return links
}
