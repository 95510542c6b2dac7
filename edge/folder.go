package edge

import (
	"errors"
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/compile"
	"vitrine/compile/release"
	"vitrine/internal/shop"
	"vitrine/render"
)

// A site folder is a static website of the shop's owner, or of an agency. Its scripts run,
// and must not reach the session of the shop on whose host they are. So every file of it is
// served in a sandbox with an opaque origin: no cookies, no storage, no service workers
// (document 3, 4.2). Windows that it opens are outside the sandbox, so that links into the
// shop work.
const sandbox = "sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads " +
	"allow-pointer-lock allow-orientation-lock allow-presentation"

// Cache-Control of the files of a site folder (document 3, 4.2).
const (
	folderPageCaching  = "no-cache"
	folderAssetCaching = "public, max-age=60"
)

// folderFields are set on every file. The origin of a sandboxed page is null, and fonts,
// modules and data load there only if any origin may read them.
var folderFields = []field{
	{fasthttp.HeaderContentSecurityPolicy, sandbox},
	{fasthttp.HeaderAccessControlAllowOrigin, "*"},
	{fasthttp.HeaderXContentTypeOptions, "nosniff"},
}

// notFoundFile is what a folder shows for a missing path.
const notFoundFile = "404.html"

// folder answers an address in a site folder; rest is the path after the address of its
// section. No path falls back to the root's index.html, and an unpublished folder answers
// 404.
func (v *visit) folder(at compile.Folder, rest string) (int, outcome) {
	if status := v.readsOnly(); status != 0 {
		return status, cacheNone
	}
	if at.Release == 0 {
		return v.missing()
	}
	if rest == "" {
		return v.addSlash(), cacheNone
	}
	m, err := v.s.manifest(v.work(), v.t, render.Release{Document: at.Document, ID: at.Release})
	if errors.Is(err, shop.ErrNotFound) {
		return v.missing()
	}
	if err != nil {
		return v.outage(err), cacheNone
	}
	path := rest[1:]
	if path == "" || strings.HasSuffix(path, "/") {
		path += release.Index
	}
	f, ok := m.files[path]
	switch {
	case ok && v.redirectBelowPass(f) != 0:
		return fasthttp.StatusSeeOther, cacheNone
	case ok && v.resizes(f):
		return v.toImageService(at.Category, f), cacheNone
	case ok:
		file := folderFile(f)
		if isPage(f.MIME) {
			file.path = folderPath(v.st.site.Path(at.Category), path)
		}
		return v.sendFolder(file)
	case m.directories[path]:
		return v.addSlash(), cacheNone
	}
	v.countMissing()
	if f, ok = m.files[notFoundFile]; !ok {
		return v.missing()
	}
	return v.sendFolder(folderMiss(f))
}

func (v *visit) sendFolder(f stored) (int, outcome) {
	status, how := v.serve(f)
	if status == fasthttp.StatusOK || status == fasthttp.StatusNotModified {
		v.countView(f.path)
	}
	if v.private() {
		v.keepPrivate()
	}
	return status, how
}

// folderFile describes a file of a folder. Its entry is named by its content, so that a
// file which a publish leaves unchanged stays cached.
func folderFile(f File) stored {
	out := stored{File: f, caching: folderAssetCaching, fields: folderFields, settled: true}
	if isPage(f.MIME) {
		out.caching = folderPageCaching
	}
	out.name = "folder " + f.SHA256 + " " + f.MIME
	return out
}

// folderMiss is the folder's own 404 page.
func folderMiss(f File) stored {
	out := folderFile(f)
	out.status, out.caching, out.name = fasthttp.StatusNotFound, folderPageCaching, out.name+" 404"
	return out
}

// folderPath is the address that a page of a folder is counted under.
func folderPath(section, path string) string {
	if path == release.Index || strings.HasSuffix(path, "/"+release.Index) {
		path = strings.TrimSuffix(path, release.Index)
	}
	return strings.TrimSuffix(section, "/") + (&url.URL{Path: "/" + path}).EscapedPath()
}

func isPage(mime string) bool {
	return strings.HasPrefix(mime, "text/html") || strings.HasPrefix(mime, "application/xhtml+xml")
}

// addSlash redirects to the address of a directory with a slash at the end, without which
// relative links of its index.html would resolve elsewhere.
func (v *visit) addSlash() int {
	path, _ := decodePath(v.path) // cannot fail: the path resolved to a directory
	to := v.pass + (&url.URL{Path: path + "/"}).EscapedPath()
	if v.query != "" {
		to += "?" + v.query
	}
	return v.redirect(
		compile.Decision{Kind: compile.Redirect, Status: fasthttp.StatusPermanentRedirect, Location: to, By: compile.ByCanonical},
	)
}

// resizes reports whether the request asks for a picture of another width, in a format that
// the image service supports.
func (v *visit) resizes(f File) bool {
	if v.query == "" || v.s.cfg.Resize == nil {
		return false
	}
	width, ok := queryValue(v.query, "w")
	if _, numeric := clamped(width, shop.MinPictureWidth, shop.MaxPictureWidth); !ok || !numeric {
		return false
	}
	switch f.MIME {
	case "image/png", "image/jpeg", "image/webp", "image/avif":
		return true
	}
	return false
}

// toImageService redirects to the picture with the width and quality that the query asks
// for.
func (v *visit) toImageService(section shop.CategoryID, f File) int {
	width, _ := queryValue(v.query, "w")
	to := v.pass + widthPrefix + width + "/webp/" + shop.FolderPicture(section, f.SHA256)
	if quality, ok := queryValue(v.query, "q"); ok {
		if _, numeric := clamped(quality, shop.MinPictureQuality, shop.MaxPictureQuality); numeric {
			to += "?q=" + quality
		}
	}
	h := &v.ctx.Response.Header
	v.ctx.SetStatusCode(fasthttp.StatusFound)
	h.Set(fasthttp.HeaderLocation, to)
	h.Set(fasthttp.HeaderCacheControl, folderAssetCaching)
	h.Set(surrogateHeader, surrogates(nil, v.t.company)+" "+shop.FolderSurrogate(v.t.company))
	h.Set(fasthttp.HeaderAccessControlAllowOrigin, "*")
	if v.ctx.IsHead() {
		h.SetContentLength(0)
	}
	if v.private() {
		v.keepPrivate()
	}
	return fasthttp.StatusFound
}
