package edge

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/compile"
	"vitrine/internal/shop"
)

// A page of a site folder has an opaque origin (sandbox), so a browser sends no cookie with
// the styles, scripts and pictures that the page loads: they would be closed to a visitor
// with access. Therefore the browser is redirected to the same page below a path with a
// pass for the policy, which relative addresses inherit. The pass opens subresources; the
// page itself requires the cookie too, so a shared address opens nothing. A pass ends with
// its grant, as the cookie does.
//
// Clients that do not ask for html are not redirected.

const (
	passPrefix = "/_vitrine/in/"
	passValid  = 10 * time.Minute
)

// navigates reports whether the request is a top-level navigation of a browser. A page in a
// frame is not: it gets no cookie either.
func (v *visit) navigates() bool {
	if to := v.ctx.Request.Header.Peek("Sec-Fetch-Dest"); len(to) > 0 {
		return string(to) == "document"
	}
	return strings.Contains(string(v.ctx.Request.Header.Peek(fasthttp.HeaderAccept)), "text/html")
}

// redirectBelowPass sends the browser of a visitor with access to a page of a closed folder
// below a pass. If it returns a status other than 0, it has written the response.
func (v *visit) redirectBelowPass(f File) int {
	if !v.inside || v.pass != "" || !isPage(f.MIME) || !v.navigates() {
		return 0
	}
	closed := v.st.site.Resolve(&v.walk, v.st.host, v.target).Closed
	at := slices.IndexFunc(closed, func(id shop.PolicyID) bool { return v.opened.Allows([]shop.PolicyID{id}) })
	if at < 0 {
		return 0
	}
	until := v.s.cfg.Now().Add(passValid).Unix()
	mark := closed[at].String() + "." + v.grantOf(closed[at]).String() + "." + strconv.FormatInt(until, 10)
	v.seeOther(passPrefix + mark + "." + v.s.passMark(v.t.company, mark) + v.target)
	v.keepPrivate()
	return fasthttp.StatusSeeOther
}

// grantOf is the grant in the visitor's cookie of a policy, 0 without one.
func (v *visit) grantOf(id shop.PolicyID) (grant shop.GrantID) {
	value := string(v.cookies().Value(&v.ctx.Request.Header, accessCookie(id.String())))
	digits, _, _ := strings.Cut(value, ".")
	if number, ok := plainID(digits); ok && v.validAccess(id, value) {
		grant = shop.GrantID(number)
	}
	return grant
}

// servePass answers a path below a pass.
func (v *visit) servePass(path string) int {
	pass, rest, _ := strings.Cut(strings.TrimPrefix(path, passPrefix), "/")
	under := passPrefix + pass + "/"
	if !strings.HasPrefix(v.path, under) || rest == "" || v.st.closed && !v.admitted() {
		return plain(v.ctx, fasthttp.StatusNotFound)
	}
	v.pass = strings.Clone(under[:len(under)-1])
	v.path, v.target = v.path[len(v.pass):], v.target[len(v.pass):]
	if _, ok := v.folderPicture(v.path); ok && strings.HasPrefix(v.path, widthPrefix) {
		status, _ := v.resized(v.path)
		return status
	}
	d := v.st.site.Resolve(&v.walk, view(v.host), v.target)
	folder, is := v.st.site.FolderAt(d.Page)
	if d.Kind != compile.Page || !is || len(d.Closed) == 0 {
		return v.seeOther(localPath(v.target)) // open by now, or not in a folder
	}
	policy, good := v.readPass(pass)
	switch {
	case !good && v.navigates():
		return v.seeOther(localPath(v.target)) // which issues a new pass, or asks for the password
	case !good || !slices.Contains(d.Closed, policy):
		return plain(v.ctx, fasthttp.StatusForbidden)
	case v.navigates():
		if status := v.mayEnter(d.Closed); status != 0 {
			return status
		}
	}
	v.inside = true
	status, _ := v.folder(folder, d.Rest)
	return status
}

// folderPicture is the section of the site folder that owns the picture at an address below
// /files/ or /w/.
func (v *visit) folderPicture(path string) (compile.PageRef, bool) {
	decoded, ok := decodePath(path)
	if stored, is := strings.CutPrefix(decoded, shop.FilesPrefix); ok && is {
		return pictureSection(stored)
	}
	if !ok || !strings.HasPrefix(decoded, widthPrefix) {
		return compile.PageRef{}, false
	}
	asked, ok := readPictureRequest(decoded, "")
	if !ok {
		return compile.PageRef{}, false
	}
	return pictureSection(asked.path)
}

// pictureSection is the section of the site folder that a stored picture belongs to.
func pictureSection(stored string) (compile.PageRef, bool) {
	section, _, ok := shop.ReadFolderPicture(stored)
	return compile.PageRef{Entity: compile.EntityCategory, ID: int64(section)}, ok
}

// mayEnterPicture is mayEnter for a stored picture, which is closed together with its site
// folder. Pictures of a folder that is not live answer 404.
func (v *visit) mayEnterPicture(stored string) int {
	section, ok := pictureSection(stored)
	if !ok {
		return 0
	}
	if !v.st.site.Live(shop.CategoryID(section.ID)) {
		return plain(v.ctx, fasthttp.StatusNotFound)
	}
	closed := v.st.site.Closed(section)
	if v.pass == "" || len(closed) == 0 {
		return v.mayEnter(closed)
	}
	pass, _, _ := strings.Cut(strings.TrimPrefix(v.pass, passPrefix), "/")
	policy, good := v.readPass(pass)
	if !good || !slices.Contains(closed, policy) {
		return plain(v.ctx, fasthttp.StatusForbidden)
	}
	v.inside = true
	return 0
}

// readPass returns the policy that a valid pass opens.
func (v *visit) readPass(pass string) (shop.PolicyID, bool) {
	parts := strings.Split(pass, ".")
	if len(parts) != 4 {
		return 0, false
	}
	policy, ok1 := plainID(parts[0])
	grant, err1 := strconv.ParseInt(parts[1], 10, 64)
	until, err2 := strconv.ParseInt(parts[2], 10, 64)
	now := v.s.cfg.Now()
	if !ok1 || err1 != nil || err2 != nil || now.Unix() >= until {
		return 0, false
	}
	if !hmac.Equal([]byte(parts[3]), []byte(v.s.passMark(v.t.company, strings.Join(parts[:3], ".")))) {
		return 0, false
	}
	p, known := v.st.site.Policy(shop.PolicyID(policy))
	valid := grant == 0 && p.Kind != shop.ByPassword || slices.ContainsFunc(p.Grants, func(g compile.Grant) bool {
		return p.Kind == shop.ByPassword && g.ID == shop.GrantID(grant) && (g.Until.IsZero() || now.Before(g.Until))
	})
	return p.ID, known && valid
}

// passMark signs a pass for a shop.
func (s *Server) passMark(company shop.CompanyID, pass string) string {
	mac := hmac.New(sha256.New, s.cfg.Secret)
	mac.Write([]byte("pass " + company.String() + " " + pass)) // never fails (hash.Hash)
	return hex.EncodeToString(mac.Sum(nil)[:16])
}
