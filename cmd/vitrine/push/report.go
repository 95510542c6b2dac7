package push

import (
	"fmt"
	"io"
	"strconv"

	"vitrine/compile/release"
)

// printReport writes one line a finding: "css/a.css:12: error ref.missing: …".
func printReport(w io.Writer, r release.Report) {
	for _, level := range []struct {
		name  string
		found []release.Finding
	}{{"error", r.Errors}, {"warning", r.Warnings}, {"info", r.Info}} {
		for _, f := range level.found {
			fmt.Fprintln(w, line(level.name, f))
		}
	}
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
