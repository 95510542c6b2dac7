package docs

import (
	"bytes"
	"html/template"
	"strings"
)

// inLayout puts a guide into its page, under the title of its first heading.
func inLayout(text string, body template.HTML) ([]byte, error) {
	title, _, _ := strings.Cut(strings.TrimLeft(text, "# "), "\n")
	var out bytes.Buffer
	err := layout.Execute(&out, map[string]any{"Title": title, "Body": body})
	return out.Bytes(), err
}

// layout is the page around a guide. It needs no script.
var layout = template.Must(template.New("guide").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}} · vitrine</title>
<style>
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; font: 16px/1.6 system-ui, sans-serif; }
nav { font-size: .875rem; border-bottom: 1px solid var(--line); padding-bottom: .75rem; }
nav a { margin-right: 1rem; }
h1 { line-height: 1.2; margin: 1.5rem 0 1rem; }
h2 { margin: 2.5rem 0 .75rem; padding-top: .5rem; border-top: 1px solid var(--line); }
code { font: .875em ui-monospace, monospace; background: var(--soft); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere; }
pre { background: var(--soft); padding: .875rem 1rem; border-radius: 8px; overflow-x: auto; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
table { display: block; overflow-x: auto; border-collapse: collapse; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); }
</style>
</head>
<body>
<nav><a href="/docs/quickstart">Quickstart</a><a href="/llms.txt">All guides</a><a href="/docs/vz-keys">Bindings</a><a href="/openapi.json">OpenAPI</a></nav>
<main>
{{.Body}}</main>
</body>
</html>
`))
