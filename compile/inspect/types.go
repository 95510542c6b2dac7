package inspect

import (
	"maps"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"vitrine/compile/markup"
	"vitrine/compile/release"
)

// types determines the content types of files whose names do not: a file loaded as a script is a
// script, as a style sheet a style sheet, and otherwise the bytes decide. A file that stays
// unknown is reported, because browsers refuse it.
func (r Release) types(out *Result) error {
	unknown := map[string]release.File{}
	var queue []release.File
	for _, f := range r.Files {
		switch {
		case release.MIME(f.Path) == release.Unknown:
			unknown[f.Path] = f
		case release.IsHTML(f.MIME) || strings.HasPrefix(f.MIME, "text/css"):
			queue = append(queue, f)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	out.Types = map[string]string{}
	tried := map[string]markup.Use{} // the strongest use each file was tried as: it is read once for each use
	loaders := map[string]string{}   // first page that loads it for more than a link
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
		for _, path := range slices.Sorted(maps.Keys(uses)) {
			used, as := unknown[path], uses[path]
			if before, known := tried[path]; used.Path == "" || known && as <= before {
				continue
			}
			tried[path] = as
			if as != markup.AsLink && loaders[path] == "" {
				loaders[path] = f.Path
			}
			if used.MIME, err = r.typed(out, used, as); err != nil {
				return err
			}
			if used.MIME != "" {
				out.Types[path] = used.MIME
				queue = append(queue, used) // it may load further files
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(loaders)) {
		if out.Types[path] == "" {
			out.Report.Add(release.Finding{Code: release.TypeUnknown, Path: path, Detail: "is loaded by " + loaders[path] + ", and neither its name nor its bytes determine its type"})
		}
	}
	return nil
}

// typed returns the type of a file for one use, "" if unknown. A script is checked for service
// workers, like scripts with an extension.
func (r Release) typed(out *Result, f release.File, as markup.Use) (string, error) {
	var body []byte
	if f.Size <= maxTyped {
		var err error
		if body, err = r.Read(f.Path); err != nil {
			return "", err
		}
	}
	if as == markup.AsScript {
		var found release.Report
		found.Add(release.ServiceWorkers(f.Path, body)...)
		out.Report.Merge(found)
	}
	return typeOf(as, body), nil
}

// maxTyped is the number of bytes of pages and sheets that are checked, and of one file that they
// load.
const maxTyped int64 = 64 << 20

// typeOf returns the type of a file by its use, "" if unknown.
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
