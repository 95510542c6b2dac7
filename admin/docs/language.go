package docs

import (
	"strings"

	"vitrine/compile/feed"
)

// language returns the template language of site files, with a section for each chapter.
func language() string {
	var out strings.Builder
	for i, chapter := range feed.Reference() {
		if i > 0 {
			out.WriteString("\n")
		}
		out.WriteString("## " + chapter.Title + "\n\n" + chapter.Intro + "\n\n| Write | What it is | Example |\n|---|---|---|\n")
		for _, e := range chapter.Entries {
			out.WriteString("| " + code(e.Signature) + " | " + cell(e.Meaning) + " | " + code(e.Example) + " |\n")
		}
	}
	return out.String()
}

// code formats a text as inline code in a table cell, on one line; empty text stays empty.
func code(text string) string {
	if text == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	text = cell(strings.ReplaceAll(text, "\n", " "))
	if len(fence) > 1 {
		text = " " + text + " "
	}
	return fence + text + fence
}
