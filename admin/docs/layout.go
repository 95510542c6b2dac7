package docs

import (
	"bytes"
	"html/template"
	"strings"
)

// inLayout puts a guide into its page, under the title of its first heading and next to the list
// of all guides.
func inLayout(text string, body template.HTML) ([]byte, error) {
	title, _, _ := strings.Cut(strings.TrimLeft(text, "# "), "\n")
	var out bytes.Buffer
	err := layout.Execute(&out, map[string]any{"Title": title, "Body": body, "Guides": guides})
	return out.Bytes(), err
}

// layout is the page around a guide. It needs no scripts. On wide windows the list of guides is
// at the side, on narrow ones it is a row above the text. Commands are wrapped rather than cut
// off, so that they can be read completely.
var layout = template.Must(template.New("guide").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}} · vitrine</title>
<style>
:root { color-scheme: light dark; --text: light-dark(#1c2024, #e6e8eb); --mute: light-dark(#5b6570, #9aa4af); --back: light-dark(#fff, #14171a);
  --soft: light-dark(#f3f5f7, #1f2429); --line: light-dark(#dfe3e8, #31383f); --link: light-dark(#0b5cad, #7db7f2); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: var(--text); background: var(--back); }
a { color: var(--link); text-underline-offset: .15em; }
nav { display: flex; gap: 1.25rem; overflow-x: auto; padding: .75rem 1rem; border-bottom: 1px solid var(--line); font-size: .875rem; white-space: nowrap; }
nav a { color: var(--mute); text-decoration: none; }
nav a:hover, nav a[aria-current] { color: var(--link); }
nav a[aria-current] { font-weight: 600; }
nav strong { display: none; }
main { max-width: 48rem; padding: .5rem 1rem 4rem; overflow-wrap: break-word; }
h1 { font-size: 1.875rem; line-height: 1.2; margin: 1.25rem 0 1rem; }
h2 { font-size: 1.3125rem; line-height: 1.3; margin: 2.5rem 0 .75rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
ul, ol { padding-left: 1.375rem; }
li { margin: .25rem 0; }
code { font: .875em/1.5 ui-monospace, monospace; background: var(--soft); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere; -webkit-box-decoration-break: clone; box-decoration-break: clone; }
pre { background: var(--soft); border: 1px solid var(--line); padding: .75rem 1rem; border-radius: 8px; white-space: pre-wrap; }
pre code { background: none; padding: 0; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: .4375rem .75rem .4375rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--mute); font-weight: 600; }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 15rem minmax(0, 48rem); gap: 3rem; max-width: 68rem; margin: 0 auto; padding: 0 1rem; }
  nav { flex-direction: column; gap: .5rem; white-space: normal; line-height: 1.4; position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; border: 0; padding: 2rem 0; }
  nav strong { display: block; margin-bottom: .5rem; }
  main { padding: .75rem 0 4rem; }
}
</style>
</head>
<body>
<nav aria-label="Guides"><strong>vitrine admin API</strong>
{{range .Guides}}<a href="{{.Path}}"{{if eq .Title $.Title}} aria-current="page"{{end}}>{{.Title}}</a>
{{end}}<a href="/llms.txt">Reading order</a>
<a href="/openapi.json">OpenAPI</a></nav>
<main>
{{.Body}}</main>
</body>
</html>
`))
