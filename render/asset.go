package render

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"regexp"
	"strings"
)

// Asset is a file of the storefront itself, served under /_vitrine/.
type Asset struct {
	Path      string // shop path
	Type      string // Content-Type
	Body      []byte // not to be changed
	ETag      string // strong, quoted
	Immutable bool   // the path carries a hash of the content
}

var (
	//go:embed assets/*.css
	styleFiles embed.FS
	//go:embed assets/script/*.js
	scriptFiles embed.FS
	//go:embed assets/listeners.js
	earlyFiles embed.FS
	//go:embed assets/proof.js
	proofFiles embed.FS
	//go:embed assets/favicon.svg
	favicon []byte

	stylesheet = tight(joined(styleFiles, "assets/", ".css", "storefront", "widget", "form", "media", "remark", "zone"))

	script = joined(scriptFiles, "assets/script/", ".js", "kept", "buy", "zone", "menu", "photo", "slider", "variant", "sticky", "box", "root",
		"page", "style", "ready", "script", "hold", "swap", "link", "fetch", "scroll", "visit", "form", "look", "reel", "more", "remark", "start")

	// listeners stands in the page itself: it has to run before any other script.
	listeners = "<script>\n" + string(joined(earlyFiles, "assets/", ".js", "listeners")) + "</script>\n"

	stylesheetAsset = hashed("/_vitrine/storefront.", ".css", "text/css; charset=utf-8", stylesheet)
	scriptAsset     = hashed("/_vitrine/storefront.", ".js", "text/javascript; charset=utf-8", script)
	proofAsset      = hashed("/_vitrine/proof.", ".js", "text/javascript; charset=utf-8", joined(proofFiles, "assets/", ".js", "proof"))
	faviconAsset    = Asset{"/_vitrine/favicon.svg", "image/svg+xml", favicon, `"` + digest(favicon) + `"`, false}
)

// Assets lists the storefront's own files. The stylesheet and the scripts stand
// under names that change with their content; the favicon's name never does.
func Assets() []Asset { return []Asset{stylesheetAsset, scriptAsset, proofAsset, faviconAsset} }

// joined is one file made of several. Those of the script are one ES module: they
// share its scope, each can be read as a module by itself, and the last one
// starts what the others declare. Lines of comment, empty ones and indentation
// stay at home.
func joined(files embed.FS, dir, extension string, names ...string) []byte {
	var all [][]byte
	for _, name := range names {
		body, err := files.ReadFile(dir + name + extension)
		if err != nil {
			panic(err) // a file of this package is missing from the program
		}
		for line := range bytes.Lines(body) {
			if line = bytes.TrimLeft(line, " "); !bytes.HasPrefix(line, []byte("//")) && len(bytes.TrimSpace(line)) > 0 {
				all = append(all, line)
			}
		}
	}
	return bytes.Join(all, nil)
}

var cssComment = regexp.MustCompile(`(?s)\s*/\*.*?\*/`)

// tight is a style sheet without its comments and the spaces that only people
// need. Ours has no strings that hold any of them.
func tight(css []byte) []byte {
	text := cssComment.ReplaceAllString(string(css), "")
	return []byte(strings.NewReplacer(" {\n", "{", " { ", "{", " }", "}", ": ", ":", "; ", ";").Replace(text))
}

func hashed(head, tail, mime string, body []byte) Asset {
	sum := digest(body)
	return Asset{head + sum + tail, mime, body, `"` + sum + `"`, true}
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:8])
}
