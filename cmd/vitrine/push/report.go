package push

import (
	"fmt"
	"io"
	"strconv"

	"vitrine/compile/release"
)

// shownOfKind is the number of findings printed per kind; the others are counted.
const shownOfKind = 3

// printReport prints one line per finding, "css/a.css:12: error ref.missing: …", grouped by
// kind. Of a frequent kind it prints the first findings, then the number of the others; the
// result on standard output contains all of them.
func printReport(w io.Writer, r release.Report) {
	for _, level := range []struct {
		name  string
		found []release.Finding
	}{{"error", r.Errors}, {"warning", r.Warnings}, {"info", r.Info}} {
		kinds := map[string][]release.Finding{}
		var order []string
		for _, f := range level.found {
			if kinds[f.Code] == nil {
				order = append(order, f.Code)
			}
			kinds[f.Code] = append(kinds[f.Code], f)
		}
		for _, code := range order {
			of := kinds[code]
			shown := of
			if len(of) > shownOfKind+1 { // a line with "1 more" would save nothing
				shown = of[:shownOfKind]
			}
			for _, f := range shown {
				fmt.Fprintln(w, line(level.name, f))
			}
			if more := of[len(shown):]; len(more) > 0 {
				fmt.Fprintf(w, "%s %s: %d more in %s\n", level.name, code, len(more), filesOf(more))
			}
		}
	}
}

// filesOf names the file of the findings, or the number of files.
func filesOf(list []release.Finding) string {
	files := map[string]bool{}
	for _, f := range list {
		files[f.Path] = true
	}
	if len(files) == 1 {
		return list[0].Path
	}
	return strconv.Itoa(len(files)) + " files"
}

func line(level string, f release.Finding) string {
	text := f.Path
	if f.Line > 0 {
		text += ":" + strconv.Itoa(f.Line)
	}
	text += ": " + level + " " + f.Code
	if f.Detail != "" {
		text += ": " + f.Detail
	}
	return text
}
