package render

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/js"
)

// Asset is a file of the storefront itself, served under /_vitrine/.
type Asset struct {
	Path      string // shop path
	Type      string // Content-Type
	Body      []byte // must not be changed
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
	//go:embed assets/scheme.js
	schemeFiles embed.FS
	//go:embed assets/proof.js
	proofFiles embed.FS
	//go:embed assets/favicon.svg
	favicon []byte

	stylesheet = joined(styleFiles, "assets/", ".css", "storefront", "shape", "widget", "form", "media", "remark", "rich", "buy", "search", "product", "print", "guard")

	// Pages of guarded zones, which are always loaded in full, have one more style sheet.
	zoneStyles = joined(styleFiles, "assets/", ".css", "zone")

	script = joined(scriptFiles, "assets/script/", ".js", "kept", "guest", "buy", "zone", "till", "menu", "photo", "slider", "variant", "option", "zoom", "seen",
		"sticky", "box", "root", "page", "style", "ready", "script", "hold", "below", "swap", "link", "fetch", "scroll", "visit", "form", "look", "reel",
		"more", "remark", "search", "scheme", "worker", "start")

	// Previews run the same script with one more part.
	previewScript = slices.Concat(script, joined(scriptFiles, "assets/script/", ".js", "preview"))

	// listeners is inlined into the page: it has to run before any other script.
	listeners = "<script>\n" + string(joined(earlyFiles, "assets/", ".js", "listeners")) + "</script>\n"
)

// packed builds the files as they are sent. They are built when the first page is drawn, so
// that no other command of the program pays for it.
var packed = sync.OnceValue(func() (files struct{ style, zone, script, preview, scheme, proof, icon Asset }) {
	const styles, scripts = "text/css; charset=utf-8", "text/javascript; charset=utf-8"
	files.style = hashed("/_vitrine/storefront.", ".css", styles, minified(css.Minify, inPixels(stylesheet)))
	files.zone = hashed("/_vitrine/zone.", ".css", styles, minified(css.Minify, zoneStyles))
	files.script = hashed("/_vitrine/storefront.", ".js", scripts, minified(js.Minify, script))
	files.preview = hashed("/_vitrine/storefront.", ".js", scripts, minified(js.Minify, previewScript))
	files.scheme = hashed("/_vitrine/scheme.", ".js", scripts, []byte(earlyScheme))
	files.proof = hashed("/_vitrine/proof.", ".js", scripts, minified(js.Minify, joined(proofFiles, "assets/", ".js", "proof")))
	files.icon = Asset{"/_vitrine/favicon.svg", "image/svg+xml", favicon, `"` + digest(favicon) + `"`, false}
	return files
})

// Assets lists the storefront's own files. The names of the style sheet and the scripts
// change with their content; the name of the favicon never does.
func Assets() []Asset {
	files := packed()
	return []Asset{files.style, files.zone, files.script, files.preview, files.scheme, files.proof, files.icon}
}

var rems = regexp.MustCompile(`(\d*\.?\d+)rem\b`)

// inPixels converts the rem lengths of the style sheet to the pixels they have on a
// storefront page. An imported website may set the font size of html and base its own rem on
// it; the shop around the website keeps its sizes.
func inPixels(text []byte) []byte {
	return rems.ReplaceAllFunc(text, func(length []byte) []byte {
		n, err := strconv.ParseFloat(string(length[:len(length)-len("rem")]), 64)
		if err != nil {
			panic(err) // the pattern takes numbers only
		}
		return append(strconv.AppendFloat(nil, n*16, 'f', -1, 64), "px"...)
	})
}

// minified returns the file without comments and white space.
func minified(minify minify.MinifierFunc, text []byte) []byte {
	// The library does not handle @container, but keeps unknown @media rules as they are.
	text = bytes.ReplaceAll(text, []byte("@container "), []byte("@media v-container and "))
	var out bytes.Buffer
	if err := minify(nil, &out, bytes.NewReader(text), nil); err != nil {
		panic(err) // a file of this package is broken
	}
	return bytes.ReplaceAll(out.Bytes(), []byte("@media v-container and "), []byte("@container "))
}

// joined concatenates several files into one. The script files form one ES module: they share
// its scope, each can be read as a module by itself, and the last one starts what the others
// declare. Comment lines, empty lines and indentation are dropped.
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

func hashed(head, tail, mime string, body []byte) Asset {
	sum := digest(body)
	return Asset{head + sum + tail, mime, body, `"` + sum + `"`, true}
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:8])
}
