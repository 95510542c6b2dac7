package docs

import (
	"reflect"
	"slices"
	"strings"

	"vitrine/admin/api"
	"vitrine/compile/release"
	"vitrine/internal/shop"
)

// expand replaces the directives of a guide (package comment). A directive is on its own line.
func (d *Docs) expand(text string) string {
	var out strings.Builder
	hidden := false
	for line := range strings.Lines(text) {
		word, rest, directive := directiveOf(line)
		switch {
		case directive && word == "unless":
			hidden = d.has(rest)
		case directive && word == "end":
			hidden = false
		case hidden:
		case directive && word == "endpoints":
			out.WriteString(d.endpointTable(strings.Fields(rest)))
		case directive && word == "language":
			out.WriteString(language())
		case directive && word == "findings":
			out.WriteString(findingTable())
		case directive && word == "carriers":
			out.WriteString(carrierTable())
		default:
			out.WriteString(strings.ReplaceAll(line, "{base_url}", d.adminURL))
		}
	}
	return out.String()
}

// directiveOf parses "{{word rest}}" on a line of its own.
func directiveOf(line string) (word, rest string, ok bool) {
	inner, opened := strings.CutPrefix(strings.TrimSpace(line), "{{")
	inner, closed := strings.CutSuffix(inner, "}}")
	if !opened || !closed {
		return "", "", false
	}
	word, rest, _ = strings.Cut(inner, " ")
	return word, rest, slices.Contains([]string{"unless", "end", "endpoints", "findings", "carriers", "language"}, word)
}

// endpointTable lists the endpoints at and below the prefixes, in their order.
func (d *Docs) endpointTable(prefixes []string) string {
	var out strings.Builder
	for _, prefix := range prefixes {
		for _, e := range d.table() {
			if e.Path == prefix || strings.HasPrefix(e.Path, prefix+"/") {
				out.WriteString("| `" + e.Method + " " + e.Path + "` | " + bodyForm(e) + " | " + needs(e) + " | " + cell(e.Summary) + " |\n")
			}
		}
	}
	if out.Len() == 0 {
		return "This server version has no endpoints here.\n"
	}
	return "| Endpoint | Body | Needs | What it does |\n|---|---|---|---|\n" + out.String()
}

// bodyForm describes the body of a request: "flat" has its fields at the top, "`item`" in this field.
func bodyForm(e api.Endpoint) string {
	if len(e.Consumes) > 0 {
		return "a file"
	}
	if e.Do.In == nil {
		return ""
	}
	form := ""
	for _, f := range reflect.VisibleFields(e.Do.In) {
		switch name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name {
		case "", "-":
		case "item":
			return "`item`"
		default:
			form = "flat"
		}
	}
	return form
}

// findingTable lists the codes of release reports.
func findingTable() string {
	levels := map[release.Level]string{release.LevelError: "error", release.LevelWarning: "warning", release.LevelInfo: "advice"}
	var out strings.Builder
	out.WriteString("| Code | Level | How to fix it |\n|---|---|---|\n")
	for _, c := range release.Codes {
		out.WriteString("| `" + c.Code + "` | " + levels[c.Level] + " | " + cell(c.Hint) + " |\n")
	}
	return out.String()
}

// carrierTable lists the carriers whose tracking pages are known.
func carrierTable() string {
	var out strings.Builder
	out.WriteString("| Code | Carrier | Tracking page |\n|---|---|---|\n")
	for _, c := range shop.Carriers {
		out.WriteString("| `" + c.Code + "` | " + c.Name + " | `" + c.Tracking("NUMBER") + "` |\n")
	}
	return out.String()
}

// needs describes who may call an endpoint.
func needs(e api.Endpoint) string {
	switch e.Auth {
	case api.Link:
		return "nothing"
	case api.SessionOnly:
		return "a session"
	}
	var words []string
	for _, s := range e.Scopes {
		words = append(words, "`"+string(s)+"`")
	}
	if e.Manage != nil {
		words = append(words, "owner or admin")
	}
	if e.Contour == api.RefusesDraft {
		words = append(words, "production contour")
	}
	text := strings.Join(words, ", ")
	switch {
	case e.Auth == api.Public && text == "":
		return "nothing"
	case e.Auth == api.Public:
		return "nothing; " + text + " to see more than a visitor"
	case text == "":
		return "a key"
	}
	return text
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
