package render

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
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
	//go:embed assets/storefront.css
	stylesheet []byte
	//go:embed assets/storefront.js
	script []byte
	//go:embed assets/favicon.svg
	favicon []byte

	stylesheetAsset = hashed("/_vitrine/storefront.", ".css", "text/css; charset=utf-8", stylesheet)
	scriptAsset     = hashed("/_vitrine/storefront.", ".js", "text/javascript; charset=utf-8", script)
	faviconAsset    = Asset{"/_vitrine/favicon.svg", "image/svg+xml", favicon, `"` + digest(favicon) + `"`, false}
)

// Assets lists the storefront's own files. The stylesheet and the script stand
// under names that change with their content; the favicon's name never does.
func Assets() []Asset { return []Asset{stylesheetAsset, scriptAsset, faviconAsset} }

func hashed(head, tail, mime string, body []byte) Asset {
	sum := digest(body)
	return Asset{head + sum + tail, mime, body, `"` + sum + `"`, true}
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:8])
}
