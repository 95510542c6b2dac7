// Package cabinet serves the owner's web pages on the admin origin: a program for browsers that is
// built from web/ into dist/ and embedded. It is a client of the documented API. It has no rights,
// rules or statements of its own, and nothing in these files differs from person to person.
//
// "make cabinet" builds dist/. Neither the program nor its tests need Node.
package cabinet

import (
	"bytes"
	"context"
	"crypto/rand"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"vitrine/admin/api"
	"vitrine/compile/pack"
	"vitrine/internal/shop"
)

//go:embed dist
var dist embed.FS

// types are the content types of the files in dist/assets. Their names contain a hash of their
// contents, and they are stored compressed with Brotli.
var types = map[string]string{
	".js":    "text/javascript; charset=utf-8",
	".css":   "text/css; charset=utf-8",
	".svg":   "image/svg+xml",
	".woff2": "font/woff2",
}

// Cabinet is the built program.
type Cabinet struct {
	head, tail []byte // of the page, around the element with the nonce
	policy     string // %s is the nonce
	files      map[string]*file
}

// Route is an address of the cabinet.
type Route struct {
	Row    *api.Endpoint
	Answer func(context.Context, *api.Call) (api.Response, error)
}

// New reads the built program. framed is the origin of all shops, with "*" in place of the slug:
// the cabinet shows previews of shops in frames.
func New(framed string) (*Cabinet, error) {
	page, err := dist.ReadFile("dist/index.html")
	if err != nil {
		return nil, err
	}
	at := bytes.Index(page, []byte("</title>"))
	if at < 0 {
		return nil, fmt.Errorf("cabinet: the page has no title")
	}
	at += len("</title>")
	c := &Cabinet{
		head: page[:at], tail: page[at:], files: map[string]*file{},
		policy: "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-%s'; img-src 'self' data: blob:; connect-src 'self'; frame-src " + framed +
			"; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
	}
	entries, err := fs.ReadDir(dist, "dist/assets")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name, packed := strings.CutSuffix(e.Name(), ".br")
		kind := types[path.Ext(name)]
		if !packed || kind == "" {
			return nil, fmt.Errorf("cabinet: %s is no file of a known type", e.Name())
		}
		body, err := dist.ReadFile("dist/assets/" + e.Name())
		if err != nil {
			return nil, err
		}
		c.files[name] = newFile(kind, body)
	}
	return c, nil
}

// Routes are the addresses of the cabinet. Each page has the same document: what it shows is
// decided in the browser, which asks the API.
func (cab *Cabinet) Routes() (list []Route) {
	for _, method := range []string{"GET", "HEAD"} {
		row := func(path string) *api.Endpoint { return &api.Endpoint{Method: method, Path: path, Auth: api.Link} }
		list = append(list, Route{row("/cabinet/assets/{file}"), cab.asset}, Route{row("/cabinet/{path:*}"), cab.page})
	}
	return list
}

func (cab *Cabinet) asset(_ context.Context, c *api.Call) (api.Response, error) {
	f := cab.files[c.PathValue("file")]
	if f == nil {
		return api.Response{}, shop.ErrNotFound.With("no such file of the cabinet; reload the page")
	}
	return f.answer(c.Header("Accept-Encoding"))
}

func (cab *Cabinet) page(context.Context, *api.Call) (api.Response, error) {
	nonce := rand.Text()
	body := bytes.Join([][]byte{cab.head, fmt.Appendf(nil, `<meta property="csp-nonce" nonce="%s">`, nonce), cab.tail}, nil)
	return api.Response{Status: 200, ContentType: "text/html; charset=utf-8", Body: body, Header: map[string]string{
		"Content-Security-Policy":    fmt.Sprintf(cab.policy, nonce),
		"Cross-Origin-Opener-Policy": "same-origin",
		"Referrer-Policy":            "same-origin",
		"Permissions-Policy":         "camera=(), microphone=(), geolocation=()",
		"X-Robots-Tag":               "noindex",
	}}, nil
}

// answer returns a file in the coding that the browser prefers.
func (f *file) answer(accepted string) (api.Response, error) {
	header := map[string]string{"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
	body, coding := f.packed, pack.Accepted([]byte(accepted), true)
	if coding != pack.Brotli {
		var err error
		if coding, body, err = f.other(coding); err != nil {
			return api.Response{}, err
		}
	}
	if coding != "" {
		header["Content-Encoding"] = string(coding)
	}
	return api.Response{Status: 200, ContentType: f.kind, Body: body, Header: header}, nil
}
