package release

import (
	"strconv"
	"strings"
)

// largeImage is the recommended maximum for images (document 3, section 8).
const largeImage = 400 * kib

// Validate checks a manifest for everything that needs no html compiler. read returns the
// contents of a path of the manifest; it is called for scripts and, where pages are served as
// they are, for pages, one at a time, and its errors are returned unchanged.
func Validate(manifest []File, read func(path string) ([]byte, error), l Limits) (Report, error) {
	r := Report{Errors: entrance(manifest, l)}
	for _, f := range manifest {
		r.Add(byName(f, l)...)
		if !isScript(f.MIME) && (l.OnePage || !IsHTML(f.MIME)) { // the single page is checked by its compiler
			continue
		}
		text, err := read(f.Path)
		if err != nil {
			return Report{}, err
		}
		r.Add(ServiceWorkers(f.Path, text)...)
	}
	return r, nil
}

// entrance requires an index.html of a size that the compiler accepts. Its findings include their
// own hint.
func entrance(manifest []File, l Limits) []Finding {
	index, ok := Find(manifest, Index)
	switch {
	case !ok:
		return []Finding{{RefMissing, Index, 0, "a release needs " + Index + " at its root; " + elsewhere(manifest)}}
	case index.Size > l.Index:
		return []Finding{
			{HTMLParse, Index, 0, "has more than " + bytesText(l.Index) + "; move scripts, styles and pictures into files of their own"},
		}
	}
	return nil
}

// elsewhere suggests how to fix a release without an index.html: most were made from the folder
// around the website.
func elsewhere(manifest []File) string {
	for _, f := range manifest {
		if folder, ok := strings.CutSuffix(f.Path, "/"+Index); ok {
			return "there is one in " + quote(folder) + ": publish the contents of that folder"
		}
	}
	return "add it"
}

// byName returns the findings that follow from path and size alone.
func byName(f File, l Limits) (found []Finding) {
	if Forbidden(f.Path) {
		found = append(found, Finding{FileForbidden, f.Path, 0, "files of the kind " + extension(f.Path) + " are not published"})
	}
	if l.OnePage && IsHTML(f.MIME) && f.Path != Index {
		found = append(found, Finding{Code: PageExtra, Path: f.Path})
	}
	if strings.HasPrefix(f.MIME, "image/") && f.Size > largeImage {
		size := strconv.FormatInt((f.Size+kib-1)/kib, 10)
		found = append(found, Finding{ImgLarge, f.Path, 0, size + " KB; at most 400 KB load quickly"})
	}
	return found
}

// Unused finds the files that nothing refers to. used holds the paths referenced in html and css.
// Pages and files that browsers request by themselves (favicons, robots.txt) need no reference;
// forbidden files must be removed anyway.
func Unused(manifest []File, used map[string]bool) (found []Finding) {
	for _, f := range manifest {
		if !used[f.Path] && !IsHTML(f.MIME) && !wellKnown(f.Path) && !Forbidden(f.Path) {
			found = append(found, Finding{FileUnused, f.Path, 0, "nothing in the release refers to it"})
		}
	}
	return found
}

func wellKnown(path string) bool {
	return strings.HasPrefix(path, "favicon.") || strings.HasPrefix(path, "apple-touch-icon") || path == "robots.txt"
}

func isScript(mime string) bool { return strings.HasPrefix(mime, "text/javascript") }
