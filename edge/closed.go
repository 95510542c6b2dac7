package edge

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/compile"
	"vitrine/internal/budget"
	"vitrine/internal/cookie"
	"vitrine/internal/shop"
	"vitrine/render"
)

// A resource closed by a policy answers strangers 403 with a page that asks for the
// password or a sign-in (CONTRACT-COMMERCE, "Customers, closed resources, statistics"). The
// right password sets a cookie for the policy. The cookie names the grant and is valid
// while the shop still has that grant: the compiled site holds all grants, so access ends
// with its grant in every process that has applied the change.
//
// A visitor with access gets the page drawn individually. It is cached neither here nor in
// front, and its target is not remembered; so open pages cost the same as in a shop that
// closes nothing.

const (
	accessPath    = "/_vitrine/access"
	accessValid   = 30 * 24 * time.Hour
	maxAccessForm = 4 << 10
)

// admission is the visitor's access to closed resources.
type admission struct {
	inside bool          // the requested resource is closed, and the visitor has access
	opened shop.Unlocked // the policies opened for the visitor, if inside
	pass   string        // the path prefix of the pass in the address: closed_folder.go
}

// mayEnter checks whether the visitor has access to a resource that policies close. If it
// returns a status other than 0, it has written the response.
func (v *visit) mayEnter(closed []shop.PolicyID) int {
	if len(closed) == 0 || v.previewing {
		return 0
	}
	opened, who, err := v.openedPolicies()
	if err != nil {
		return v.outage(err)
	}
	if !opened.Allows(closed) {
		if status := v.readsOnly(); status != 0 {
			return status
		}
		return v.showClosed(closed, who, pinFirst, 0, v.target)
	}
	v.inside, v.opened = true, opened
	return 0
}

// mayEnterPage is mayEnter for the page that a decision leads to. For a set it also checks
// the policies that close its products, one after the other.
func (v *visit) mayEnterPage(d compile.Decision) int {
	status := v.mayEnter(d.Closed)
	if status == 0 && v.inside {
		status = v.mayEnter(v.st.site.ClosedTo(d.Page, v.opened))
	}
	return status
}

// openedPolicies are the policies opened for the visitor by passwords and by their account.
func (v *visit) openedPolicies() (shop.Unlocked, Customer, error) {
	who, err := v.customer()
	return v.enteredPolicies().With(v.st.site.OpenedBy(who.Known, who.Groups)), who, err
}

// private reports whether the response is for this visitor alone.
func (v *visit) private() bool { return v.st.closed || v.inside }

// enteredPolicies are the policies whose password the visitor has entered.
func (v *visit) enteredPolicies() shop.Unlocked {
	rule := v.cookies()
	if !v.st.site.HasClosed() || rule == cookie.None {
		return ""
	}
	prefix := rule.Key(accessCookie(""))
	var ids []shop.PolicyID
	for name, value := range v.ctx.Request.Header.Cookies() {
		digits, ours := strings.CutPrefix(string(name), prefix)
		id, err := strconv.ParseInt(digits, 10, 64)
		if ours && err == nil && v.validAccess(shop.PolicyID(id), string(value)) {
			ids = append(ids, shop.PolicyID(id))
		}
	}
	return shop.NewUnlocked(ids...)
}

// validAccess reports whether a cookie opens a policy: it was signed here, it has not
// expired, and the grant it was issued for has not ended.
func (v *visit) validAccess(id shop.PolicyID, value string) bool {
	grant, signed, _ := strings.Cut(value, ".")
	text, mark, _ := strings.Cut(signed, ".")
	number, err1 := strconv.ParseInt(grant, 10, 64)
	until, err2 := strconv.ParseInt(text, 10, 64)
	now := v.s.cfg.Now()
	if err1 != nil || err2 != nil || now.Unix() >= until {
		return false
	}
	if !hmac.Equal([]byte(mark), []byte(v.s.accessMark(v.t.company, id, shop.GrantID(number), until))) {
		return false
	}
	p, _ := v.st.site.Policy(id)
	if p.Kind != shop.ByPassword {
		return false
	}
	for _, g := range p.Grants {
		if g.ID == shop.GrantID(number) {
			return g.Until.IsZero() || now.Before(g.Until)
		}
	}
	return false
}

// customer is the signed-in customer. It is read only if a policy of the shop depends on
// it.
func (v *visit) customer() (Customer, error) {
	token := v.cookies().Value(&v.ctx.Request.Header, cookie.Session)
	if len(token) == 0 || !v.needsCustomer(v.st.site.Policies()) {
		return Customer{}, nil
	}
	return v.s.cfg.Source.Customer(v.work(), v.t.company, string(token))
}

// needsCustomer reports whether one of the policies opens by the visitor's account.
func (v *visit) needsCustomer(closed []shop.PolicyID) bool {
	return slices.ContainsFunc(closed, func(id shop.PolicyID) bool {
		p, _ := v.st.site.Policy(id)
		return p.Kind != shop.ByPassword
	})
}

// passwordPolicies are those of the policies that open by a password.
func (v *visit) passwordPolicies(closed []shop.PolicyID) []shop.PolicyID {
	return slices.DeleteFunc(slices.Clone(closed), func(id shop.PolicyID) bool {
		p, _ := v.st.site.Policy(id)
		return p.Kind != shop.ByPassword
	})
}

// showClosed answers with the page shown in place of a closed resource. It contains the
// owner's text for strangers and reveals nothing of the resource.
func (v *visit) showClosed(closed []shop.PolicyID, who Customer, why pinAsk, wait time.Duration, next string) int {
	page := &render.ClosedPage{
		Frame: render.Frame{Shop: render.ShopOf(v.st.site.Shop()), Path: "/"}, Action: accessPath, Next: localPath(next),
		Password: len(v.passwordPolicies(closed)) > 0, Wrong: why == pinWrong, Wait: wait,
	}
	page.SEO.NoIndex, page.NoCookies = true, v.cookies() == cookie.None
	for _, id := range closed {
		if p, ok := v.st.site.Policy(id); ok && page.Title == "" && page.Text == "" {
			page.Title, page.Text = p.Title, p.Text
		}
	}
	if v.needsCustomer(closed) {
		page.Stranger, page.Unproven = who.SignedIn, who.Unproven
		page.SignIn = "/" + string(shop.ZoneAccount) + "?next=" + url.QueryEscape(page.Next)
	}
	return v.sendClosed(page, why)
}

// enterClosed handles the form of that page. The resource is identified by the address that
// the visitor wants to reach, so the form has no other field for it.
func (v *visit) enterClosed() int {
	if !v.ctx.IsPost() {
		return v.refuseMethod("POST")
	}
	form, ok := v.readForm(maxAccessForm)
	if !ok {
		return plain(v.ctx, fasthttp.StatusBadRequest)
	}
	next := localPath(form.Get("next"))
	if v.st.closed && !v.admitted() {
		return v.showPIN(pinFirst, 0, next)
	}
	closed, err := v.closedAt(next)
	if err != nil {
		return v.outage(err)
	}
	asked := v.passwordPolicies(closed)
	if len(asked) == 0 || v.enteredPolicies().Allows(closed) {
		return v.seeOther(next)
	}
	why, wait, err := v.tryPassword(asked, form.Get("password"))
	switch {
	case err != nil:
		return v.outage(err)
	case why == pinFirst:
		return v.seeOther(next)
	case why == pinWait:
		v.ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, strconv.Itoa(budget.Seconds(wait)))
	}
	return v.showClosed(closed, Customer{}, why, wait, next)
}

// closedAt are the policies that close an address of the shop to the visitor.
func (v *visit) closedAt(target string) ([]shop.PolicyID, error) {
	path, _ := splitQuery(target)
	number := func(prefix string) int64 {
		digits, _, _ := strings.Cut(strings.TrimPrefix(path, prefix), "/")
		id, _ := plainID(digits)
		return id
	}
	if picture, ok := v.folderPicture(path); ok {
		return v.st.site.Closed(picture), nil
	}
	switch {
	case strings.HasPrefix(path, filePrefix):
		return v.st.site.ClosedFile(shop.SiteFileID(number(filePrefix))), nil
	case strings.HasPrefix(path, htmlPrefix):
		return v.documentClosed(shop.DocumentID(number(htmlPrefix)))
	}
	d := v.st.site.Resolve(&v.walk, v.st.host, target)
	opened, _, err := v.openedPolicies()
	if d.Closed != nil && opened.Allows(d.Closed) {
		return v.st.site.ClosedTo(d.Page, opened), err
	}
	return d.Closed, err
}

// tryPassword tries a password on policies in turn and sets the cookie of the one that it
// opens. It then returns pinFirst.
func (v *visit) tryPassword(asked []shop.PolicyID, password string) (why pinAsk, wait time.Duration, err error) {
	password = strings.TrimSpace(password)
	why = pinWrong
	if password == "" || len(password) > shop.MaxAccessPassword {
		return why, 0, nil
	}
	wrong := map[shop.PolicyID]bool{}
	for _, id := range asked {
		var grant shop.GrantID
		right, longer, err := v.s.pins.try(v.work(), visitor{lock{v.t.company, id}, v.client().Network()}, func() (bool, error) {
			grant, err = v.s.cfg.Source.EnterPolicy(v.work(), v.t.company, id, password)
			return grant != 0, err
		})
		switch {
		case err != nil:
			return why, 0, err
		case right:
			for other := range wrong { // the password was meant for this one
				if err := v.s.pins.forgive(v.work(), lock{v.t.company, other}); err != nil {
					return why, 0, err
				}
			}
			v.grantAccess(id, grant)
			return pinFirst, 0, nil
		case longer > 0:
			why, wait = pinWait, max(wait, longer)
		default:
			wrong[id] = true
		}
	}
	return why, wait, nil
}

// grantAccess sets the cookie of a policy. It expires with its grant at the latest; whether
// the grant ended in another way is checked at each visit.
func (v *visit) grantAccess(id shop.PolicyID, grant shop.GrantID) {
	now := v.s.cfg.Now()
	until := now.Add(accessValid)
	p, _ := v.st.site.Policy(id)
	at := slices.IndexFunc(p.Grants, func(g compile.Grant) bool { return g.ID == grant })
	if at < 0 {
		v.t.behind.Store(true) // another process has just added it
	} else if g := p.Grants[at]; !g.Until.IsZero() && g.Until.Before(until) {
		until = g.Until
	}
	value := grant.String() + "." + strconv.FormatInt(until.Unix(), 10) + "." + v.s.accessMark(v.t.company, id, grant, until.Unix())
	v.cookies().Set(&v.ctx.Response.Header, accessCookie(id.String()), value, max(time.Second, until.Sub(now)))
}

// accessCookie is the name of the cookie of a policy.
func accessCookie(id string) cookie.Name { return cookie.Named("vitrine-access-" + id) }

// accessMark signs a cookie for a shop, a policy, a grant of it and an expiry time.
func (s *Server) accessMark(company shop.CompanyID, id shop.PolicyID, grant shop.GrantID, until int64) string {
	mac := hmac.New(sha256.New, s.cfg.Secret)
	mac.Write([]byte("access " + company.String() + " " + id.String() + " " + grant.String() + " " + strconv.FormatInt(until, 10))) // never fails (hash.Hash)
	return hex.EncodeToString(mac.Sum(nil))
}
