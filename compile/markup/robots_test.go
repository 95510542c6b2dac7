package markup

import "testing"

// Directives for search engines, as browsers parse the tags.
func TestNoIndex(t *testing.T) {
	for page, want := range map[string]bool{
		``:                                       false,
		`<meta name="robots" content="noindex">`: true,
		`<META NAME=' Robots ' CONTENT='NOFOLLOW , NoIndex'>`:                               true,
		`<meta content=none name=robots />`:                                                 true,
		`<meta name="robots" content="nofollow"><meta name="robots" content="all,noindex">`: true,
		`<meta name="robots" content="index, follow">`:                                      false,
		`<meta name="robots" content="noindexes">`:                                          false,
		`<meta name="description" content="noindex">`:                                       false,
		`<meta property="robots" content="noindex">`:                                        false,
		`<meta name="googlebot" content="noindex">`:                                         false, // other search engines may list it
		`<!-- <meta name="robots" content="noindex"> -->`:                                   false,
		`<script>"<meta name='robots' content='noindex'>"</script>`:                         false,
		`<title><meta name="robots" content="noindex"></title>`:                             false,
		`<metas name="robots" content="noindex">`:                                           false,
		`<p name="robots" content="noindex">`:                                               false,
		`{{if .A}}<meta name="robots" content="noindex">{{end}}`:                            true,
		`<meta name="robots" content="{{.Robots}}">`:                                        false,
		`<meta name="robots" content="noindex`:                                              false, // not a tag: it never ends
		"\xff\x00<meta\nname=robots\ncontent=noindex>":                                      true,
	} {
		if got := NoIndex([]byte(page)); got != want {
			t.Errorf("%s: %v, want %v", page, got, want)
		}
	}
}
