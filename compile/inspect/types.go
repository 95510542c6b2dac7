package inspect

import (
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"vitrine/compile/markup"
	"vitrine/compile/release"
)

// types tells the types of files whose names do not: what a page runs is a script, what
// it styles itself with is a sheet, and what it shows is what its bytes say. A file that
// stays unknown is reported, because browsers refuse it.
func (r Release) types(out *Result) error {
	unknown := map[string]bool{}
	for _, f := range r.Files {
		if release.MIME(f.Path) == release.Unknown {
			unknown[f.Path] = true
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	var queue []release.File
	for _, f := range r.Files {
		if release.IsHTML(f.MIME) || strings.HasPrefix(f.MIME, "text/css") {
			queue = append(queue, f)
		}
	}
	out.Types = map[string]string{}
	told, known := map[string]bool{}, map[string]markup.Use{}
	for left := maxTyped; len(queue) > 0; queue = queue[1:] {
		f := queue[0]
		if f.Size > left {
			continue
		}
		left -= f.Size
		text, err := r.Read(f.Path)
		if err != nil {
			return err
		}
		uses := markup.Uses(f.Path, f.MIME, text, r.has)
		for _, used := range r.Files { // in the order of their paths
			as, ok := uses[used.Path]
			if !ok || !unknown[used.Path] || out.Types[used.Path] != "" && as <= known[used.Path] {
				continue
			}
			var body []byte
			if used.Size <= maxTyped {
				if body, err = r.Read(used.Path); err != nil {
					return err
				}
			}
			switch mime := typeOf(as, body); {
			case mime == "" && as != markup.AsLink && !told[used.Path]:
				told[used.Path] = true
				out.Report.Add(release.Finding{Code: release.TypeUnknown, Path: used.Path, Detail: "is loaded by " + f.Path + ", and neither its name nor its bytes say what it is"})
			case mime != "":
				out.Types[used.Path], known[used.Path], used.MIME = mime, as, mime
				if as == markup.AsScript {
					out.Report.Merge(reportOf(release.ServiceWorkers(used.Path, body)))
				} else {
					queue = append(queue, used)
				}
			}
		}
	}
	return nil
}

// maxTyped is how many bytes of pages and sheets are looked at, and of one file that they load.
const maxTyped int64 = 64 << 20

func reportOf(found []release.Finding) (r release.Report) {
	r.Add(found...)
	return r
}

// typeOf is the type of a file by what it is loaded for, "" where that does not tell.
func typeOf(as markup.Use, body []byte) string {
	switch as {
	case markup.AsScript:
		return release.MIME("a.js")
	case markup.AsStyle:
		return release.MIME("a.css")
	}
	mime := mimetype.Detect(body).String()
	kind, _, _ := strings.Cut(mime, "/")
	switch {
	case as == markup.AsLink:
		if release.IsHTML(mime) {
			return release.MIME(release.Index)
		}
	case kind == "image" || kind == "font" || kind == "audio" || kind == "video":
		return mime
	}
	return ""
}
