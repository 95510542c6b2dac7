package edge

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/compile/lead"
	"vitrine/edge/backend"
	"vitrine/internal/origin"
	"vitrine/internal/shop"
	"vitrine/render"
)

// leadsAPI accepts leads and files as the admin API does, and answers with what a test
// sets.
type leadsAPI struct {
	mu     sync.Mutex
	status int
	body   string
	calls  []string
	leads  []backend.Lead
	files  []string // address and bytes of each file
	file   int      // status for files; 0: accepted
	said   string   // body of a refusal
}

func (a *leadsAPI) handle(ctx *fasthttp.RequestCtx) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch path := string(ctx.Path()); {
	case path == "/forms/3/token":
		ctx.SetBodyString(`{"result": {"token": "fresh"}}`)
		return
	case path == "/form-files":
		body, err := io.ReadAll(ctx.RequestBodyStream())
		a.files = append(a.files, fmt.Sprintf("%s %s %v", ctx.RequestURI(), body, err))
		if a.file == 0 {
			ctx.SetBodyString(`{"result": {"id": "id` + itoa(len(a.files)) + `", "name": "clean.pdf"}}`)
			return
		}
		ctx.SetStatusCode(a.file)
		ctx.SetBodyString(a.said)
		return
	}
	company := origin.Of(ctx).Shop
	h := &ctx.Request.Header
	a.calls = append(a.calls, strings.Join([]string{string(h.Method()), string(h.RequestURI()), string(h.Host()), company.String(),
		string(h.ContentType()), string(h.Peek("Origin")), string(h.Peek("Sec-Fetch-Site")), string(h.Peek("Cookie"))}, " "))
	var l backend.Lead
	if err := json.Unmarshal(ctx.PostBody(), &l); err != nil {
		ctx.Error(err.Error(), 400)
		return
	}
	a.leads = append(a.leads, l)
	ctx.SetStatusCode(a.status)
	ctx.SetBodyString(a.body)
}

// formWorld has the forms 3 of shop 7 and 4 of shop 8.
func formWorld(t *testing.T) (*world, *leadsAPI) {
	api := &leadsAPI{status: 200, body: "{}"}
	w := newWorld(t, func(c *Config) { c.API = api.handle })
	form := render.Form{ID: 3, Name: "Ask us"}
	for _, f := range []lead.Field{
		{Name: "email", Label: "E-mail", Type: lead.Email, Required: true}, {Name: "words", Type: lead.Textarea}, {Name: "topic", Type: lead.Hidden},
		{Name: "paper", Type: lead.File}, {Name: "news", Type: lead.Checkbox}, {Name: "agree", Label: "I agree", Type: lead.Consent},
	} {
		form.Fields = append(form.Fields, render.FormField{Field: f})
	}
	w.src.shops[7].forms = map[shop.FormID]render.Form{3: form}
	w.src.shops[8].forms = map[shop.FormID]render.Form{4: {ID: 4, Name: "Theirs"}}
	return w, api
}

func (w *world) sendForm(target, body string, lines ...string) reply {
	lines = append(lines, "Content-Type: application/x-www-form-urlencoded", "Content-Length: "+itoa(len(body)))
	return w.raw("POST", requestOf("POST", target, lines...)+body)
}

func (w *world) shows(what string, got reply, texts ...string) {
	w.t.Helper()
	for _, text := range texts {
		if !strings.Contains(got.Body, text) {
			w.t.Errorf("%s: no %s in\n%.3000s", what, text, got.Body)
		}
	}
}

func TestAFormHasAPage(t *testing.T) {
	w, _ := formWorld(t)
	private := []string{
		"Cache-Control", "private, no-store", "X-Robots-Tag", "noindex", "ETag", "", "Content-Type", htmlType,
		"X-Frame-Options", "SAMEORIGIN",
	}
	got := w.get("/_vitrine/form/3?topic=tea%22", "Referer: http://shop.localhost:8080/about?utm_source=mail")
	w.expect("page", got, 200, private...)
	w.shows(
		"page", got, "<h1>Ask us</h1>", `name="topic" value="tea&#34;"`, `name="_from" value="/about?utm_source=mail"`,
		`content="noindex"`, `href="/about"`, "Shop &amp; Co",
	)
	for _, referer := range []string{"http://evil.test/about", "http://shop.localhost:8080//evil.test", "about:blank", "%zz", ""} {
		w.shows(referer, w.get("/_vitrine/form/3", "Referer: "+referer), `name="_from" value=""`)
	}
	dialog := w.get("/_vitrine/form/3/dialog?topic=tea")
	w.expect("dialog", dialog, 200, private...)
	w.shows("dialog", dialog, `data-v-form="3"`, `value="tea"`)
	if !strings.HasPrefix(dialog.Body, "<dialog") || strings.Contains(dialog.Body, "<script") || strings.Contains(dialog.Body, "<header") {
		t.Errorf("the dialog is more than the form:\n%s", dialog.Body)
	}
	// A link may tick a box, but not a consent, and brings no file.
	for _, target := range []string{"/_vitrine/form/3", "/_vitrine/form/3/dialog"} {
		got := w.get(target + "?news=yes&agree=yes&paper=x&_kept_paper=id1+a.pdf")
		w.shows(target, got, `name="news" value="yes" checked>`, `name="agree" value="yes">`)
		if strings.Contains(got.Body, "a.pdf") {
			t.Errorf("a link brings a file:\n%s", got.Body)
		}
	}
	thanks := w.get("/_vitrine/form/3/sent?_from=%2Fabout")
	w.expect("thanks", thanks, 200, private...)
	w.shows("thanks", thanks, "Thank you", `class="v-button" href="/about"`)
	w.shows("thanks", w.get("/_vitrine/form/3/sent?_from=javascript:alert(1)"), `class="v-button" href="/"`)
	w.expect("head", w.ask("HEAD", "/_vitrine/form/3"), 200)
	for _, target := range []string{"/_vitrine/form/4", "/_vitrine/form/5", "/_vitrine/form/", "/_vitrine/form/x", "/_vitrine/form/03", "/_vitrine/form/-3", "/_vitrine/form/+3",
		"/_vitrine/form/3/", "/_vitrine/form/3/x", "/_vitrine/form/3/dialog/", "/_vitrine/form/5/dialog", "/_vitrine/form/5/sent", "/_vitrine/form/99999999999999999999"} {
		got := w.get(target)
		w.expect(target, got, 404)
		w.shows(target, got, "could not find")
	}
	for _, c := range []struct{ method, target string }{{"PUT", "/_vitrine/form/3"}, {"POST", "/_vitrine/form/3/sent"}, {"POST", "/_vitrine/form/3/dialog"}, {"DELETE", "/_vitrine/form/3"}} {
		w.expect(c.method, w.ask(c.method, c.target, "Content-Length: 0"), 405)
	}
}

func TestFormWorksWithoutAScript(t *testing.T) {
	w, api := formWorld(t)
	body := url.Values{
		"email": {"ann@example.com"}, "words": {"Hé & co"}, "unknown": {"x"},
		"_from": {"/about?utm_source=mail&utm_term=" + strings.Repeat("x", 256)}, "_more": {""},
	}
	got := w.sendForm("/_vitrine/form/3", body.Encode(), "Origin: http://shop.localhost:8080", "Sec-Fetch-Site: same-origin", "Cookie: a=b")
	w.expect("sent", got, 303, "Cache-Control", "no-store")
	if at := got.has("Location"); !strings.HasPrefix(at, "/_vitrine/form/3/sent?_from=%2Fabout") {
		t.Errorf("redirects to %s", at)
	}
	if want := "POST /form-leads shop.localhost 7 application/json http://shop.localhost:8080 same-origin "; len(api.calls) != 1 ||
		api.calls[0] != want {
		t.Errorf("the API got %q, want %q", api.calls, want)
	}
	l := api.leads[0]
	if len(l.Values) != 2 || l.Values["words"] != "Hé & co" || l.Form != "3" || !strings.HasPrefix(l.Page, "/about?utm_source=mail") ||
		len(l.UTM) != 1 ||
		l.UTM["source"] != "mail" {
		t.Errorf("the lead: %+v", l)
	}
	if l.Token != "" || l.Proof != nil || l.Trap != "" {
		t.Errorf("the lead of a page without a script: %+v", l)
	}
	// The API gets the trap field, and when the page was shown.
	w.expect("a robot", w.sendForm("/_vitrine/form/3", "email=a%40b&_more=x&_token=t"), 303)
	// An external address is not accepted as the page.
	w.sendForm("/_vitrine/form/3", "email=a%40b&_from=%2F%2Fevil.test")
	if len(api.leads) != 3 || api.leads[1].Trap != "x" || api.leads[1].Token != "t" || api.leads[2].Page != "" {
		t.Errorf("leads: %+v", api.leads)
	}
	w.expect("a form of another shop", w.sendForm("/_vitrine/form/4", "email=a%40b"), 404)
	w.expect("too large", w.sendForm("/_vitrine/form/3", "words="+strings.Repeat("x", formPost.Text)), 400)
	w.expect("no form", w.sendForm("/_vitrine/form/3", "%zz"), 400)
	w.expect("next", w.get("/about"), 200)
	if len(api.calls) != 3 {
		t.Errorf("%d calls", len(api.calls))
	}
}

// Whatever the API answers, everything typed is kept.
func TestRefusedFormIsShownAgainFilled(t *testing.T) {
	w, api := formWorld(t)
	for _, c := range []struct {
		status int
		body   string
		want   int
		shows  string
	}{
		{400, `{"error": "x", "field": "email", "rule": "type"}`, 400, "Please write an e-mail address"},
		{400, `{"error": "x", "field": "email"}`, 400, "Please check the marked fields"},
		{400, `{"error": "x", "field": "words", "rule": "max_length", "limit": "7"}`, 400, "At most 7 characters"},
		{409, `{"error": "x", "bits": 16}`, 409, `data-v-work="16"`},
		{400, `no JSON`, 400, "could not be sent"},
		{403, `{}`, 403, "could not be sent"},
		{429, `{}`, 429, "Too many people"},
		{500, `{}`, 503, "could not be sent"},
		{503, `{}`, 503, "could not be sent"},
	} {
		api.status, api.body = c.status, c.body
		got := w.sendForm("/_vitrine/form/3", "email=%3Cann&words=Hello&_from=%2Fabout&_token=mine")
		w.expect(c.shows, got, c.want, "Cache-Control", "private, no-store")
		w.shows(c.shows, got, c.shows, `value="&lt;ann"`, "Hello</textarea>", `value="/about"`, `name="_token" value="mine"`)
		if strings.Contains(got.Body, "aria-invalid") != (strings.Contains(c.body, "field")) {
			t.Errorf("%d: the marks are wrong", c.status)
		}
	}
	api.status = 404
	w.expect("deleted meanwhile", w.sendForm("/_vitrine/form/3", "email=a%40b"), 404)
	w.src.setAway(true)
	w.expect("outage", w.sendForm("/_vitrine/form/3", "email=a%40b"), 503)
}

// sendFiles posts a form with files.
func (w *world) sendFiles(target string, post string, lines ...string) reply {
	lines = append(lines, "Content-Type: multipart/form-data; boundary="+mark, "Content-Length: "+itoa(len(post)))
	return w.raw("POST", requestOf("POST", target, lines...)+post)
}

// Files of a form go to the API while they arrive. The page shows the result: an accepted
// file need not be chosen again, a refused one has a reason.
func TestFormWithFiles(t *testing.T) {
	w, api := formWorld(t)
	body := strings.Repeat("%PDF", 50_000)
	got := w.sendFiles("/_vitrine/form/3", postOf(textPart("email", "a@b"), filePart("paper", "my cv.pdf", body), filePart("other", "x", "1"), textPart("words", "é")))
	w.expect("sent", got, 303)
	if want := "/form-files?field=paper&form_id=3&name=my+cv.pdf " + body + " <nil>"; len(api.files) != 1 || api.files[0] != want {
		t.Errorf("%d files: %.200q", len(api.files), api.files)
	}
	if len(api.leads) != 1 || fmt.Sprint(api.leads[0].Values) != "map[email:a@b paper:id1 words:é]" {
		t.Errorf("the lead: %+v", api.leads)
	}
	// The form is shown again and remembers the file, which is sent with it the next time.
	api.status, api.body = 400, `{"field": "email", "rule": "type"}`
	again := w.sendFiles("/_vitrine/form/3", postOf(filePart("paper", "a", "1"), textPart("email", "a")))
	w.expect("refused", again, 400)
	w.shows("refused", again, "Attached: clean.pdf", `name="_kept_paper" value="id2 clean.pdf"`)
	api.status, api.body = 200, "{}"
	w.expect("kept", w.sendFiles("/_vitrine/form/3", postOf(filePart("paper", "", ""), textPart("_kept_paper", "id2 clean.pdf"), textPart("email", "a@b"))), 303)
	if l := api.leads[len(api.leads)-1]; l.Values["paper"] != "id2" || len(api.files) != 2 {
		t.Errorf("the lead: %+v, %d files", l, len(api.files))
	}
	// A refused file only prevents the lead from being sent.
	leads := len(api.leads)
	for _, c := range []struct {
		file, want  int
		said, shows string
	}{
		{400, 400, `{"field": "paper", "rule": "type"}`, "Files of this kind are not accepted"}, {400, 400, `{"field": "paper", "rule": "max_size", "limit": "5"}`, "A file of at most 10 MB."},
		{429, 429, `{}`, "Too many people"}, {500, 503, `{}`, "could not be sent"}, {400, 400, `{}`, "could not be sent"},
	} {
		api.file, api.said = c.file, c.said
		got := w.sendFiles("/_vitrine/form/3", postOf(filePart("paper", "a", "1"), textPart("email", "a@b"), textPart("words", "Hello")))
		w.expect(c.said, got, c.want)
		w.shows(c.said, got, c.shows, "Hello</textarea>")
	}
	api.file = 0
	large := w.sendFiles("/_vitrine/form/3", postOf(filePart("paper", "a", strings.Repeat("1", lead.MaxFile+1)), textPart("email", "a@b")))
	w.expect("large", large, 400)
	w.shows("large", large, `id="v-f3-paper-problem"`, `value="a@b"`)
	if len(api.leads) != leads {
		t.Errorf("%d leads were sent without their file", len(api.leads)-leads)
	}
	w.expect("many files", w.sendFiles("/_vitrine/form/3", postOf(slices.Repeat([]sentPart{filePart("paper", "a", "1")}, 11)...)), 400)
}

// The storefront's script gets the form to insert in place of the one sent, and the address
// to go to.
func TestTheScriptGetsTheFormAlone(t *testing.T) {
	w, api := formWorld(t)
	send := func(body string) reply { return w.sendForm("/_vitrine/form/3", body, "X-Requested-With: w") }
	got := send("email=a%40b&_proof=7&_token=t")
	w.expect("sent", got, 200, "Location", "", "X-Location", "", "X-Vitrine-Page", "drawn")
	if l := api.leads[0]; got.Body != "" || l.Proof == nil || *l.Proof != "7" || l.Token != "t" {
		t.Errorf("%q, %+v", got.Body, l)
	}
	api.status, api.body = 400, `{"field": "email", "rule": "type"}`
	refused := send("email=a")
	w.expect("refused", refused, 400, "X-Vitrine-Page", "drawn")
	w.shows("refused", refused, `id="v-w3-email-problem"`, `name="_token" value="fresh"`)
	if !strings.HasPrefix(refused.Body, "<form") || strings.Contains(refused.Body, "<header") {
		t.Errorf("more than the form: %.300s", refused.Body)
	}
	api.status, api.body = 200, "{}"
	for written, to := range map[string]string{
		"/about?x=1": "/about?x=1", "https://example.com/thanks": "https://example.com/thanks", "/да?x=ё%20": "/%D0%B4%D0%B0?x=%D1%91%20",
	} {
		f := w.src.shops[7].forms[3]
		f.Success.URL = written
		w.src.shops[7].forms[3] = f
		w.expect(to, send("email=a%40b"), 200, "X-Location", to)
		w.expect(to, w.sendForm("/_vitrine/form/3", "email=a%40b&_from=/x"), 303, "Location", to)
	}
}

func TestAClosedShopHidesItsForms(t *testing.T) {
	w, api := formWorld(t)
	w.closeShop("http://shop.localhost:8080")
	for _, target := range []string{"/_vitrine/form/3", "/_vitrine/form/3/dialog", "/_vitrine/form/9"} {
		got := w.get(target)
		w.expect(target, got, 403)
		w.shows(target, got, `name="pin"`, `value="/_vitrine/form/`)
		if strings.Contains(got.Body, "Ask us") {
			t.Errorf("%s shows the form", target)
		}
	}
	w.expect("post", w.sendForm("/_vitrine/form/3", "email=a%40b"), 403)
	w.expect("no form", w.get("/_vitrine/form/x"), 404)
	cookie, _, _ := strings.Cut(w.tryPIN("4711", "/_vitrine/form/3").has("Set-Cookie"), ";")
	w.shows("admitted", w.get("/_vitrine/form/3", "Cookie: "+cookie), "Ask us")
	w.expect("admitted", w.sendForm("/_vitrine/form/3", "email=a%40b", "Cookie: "+cookie), 303)
	if len(api.calls) != 1 {
		t.Errorf("the API got %d forms", len(api.calls))
	}
}

func FuzzFormAddresses(f *testing.F) {
	for _, target := range []string{"3", "3/dialog?topic=x", "3/sent?_from=/", "x", "3//", "99999999999999999999", "3?%zz"} {
		f.Add(target, "email=a&_from=/x&_more=&_kept_paper=1 x")
	}
	f.Fuzz(func(t *testing.T, target, body string) {
		if local := localAddress(target); local != "" && (local[0] != '/' || strings.HasPrefix(local, "//")) {
			t.Errorf("%q leads to another host", target)
		}
		sent, err := url.ParseQuery(body)
		if err != nil {
			return
		}
		form := render.Form{ID: 3, Fields: []render.FormField{{Field: lead.Field{Name: "email", Type: lead.Email}}, {Field: lead.Field{Name: "paper", Type: lead.File}}}}
		form.Fill(sent)
		if _, err := json.Marshal(leadOf(&form, target)); err != nil {
			t.Error(err)
		}
		page := &render.FormPage{Form: form, From: target}
		out, err := render.AppendFormDialog(nil, page)
		if err != nil || strings.Count(string(out), "</form>") != 1 {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// slowly returns one byte per second.
type slowly struct{ io.Reader }

func (s slowly) Read(p []byte) (int, error) {
	time.Sleep(time.Second) // in the clock of the bubble
	return s.Reader.Read(p[:1])
}

// A form received over a slow connection is processed like any other: receiving it does not
// use up the time for the work.
func TestSlowFormDoesNotUseUpTheWorkTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		v := &visit{s: &Server{ctx: ctx}, ctx: &fasthttp.RequestCtx{}}
		defer v.endWork()
		v.work() // the form was read from the database
		const body = "name=Ada&question=when"
		v.ctx.Request.SetBodyStream(slowly{strings.NewReader(body)}, len(body))
		form, ok := v.readForm(formPost.Text)
		if !ok || form.Get("name") != "Ada" {
			t.Errorf("read %v", form)
		}
		if deadline, _ := v.work().Deadline(); v.work().Err() != nil || time.Until(deadline) != visitTimeout {
			t.Errorf("%v of time are left: %v", time.Until(deadline), v.work().Err())
		}
	})
}

// The menu marks the section that led to a form, and never the home page instead.
func TestTheMenuOnFormPagesMarksWhereTheVisitorCameFrom(t *testing.T) {
	w, _ := formWorld(t)
	current := regexp.MustCompile(`href="([^"]*)" aria-current="true"`)
	for from, want := range map[string]string{
		"": "", "http://shop.localhost/": "", "http://shop.localhost/shoes/boot?variant=3": "/shoes", "http://shop.localhost/about": "/about",
		"http://other.test/shoes": "", "http://shop.localhost/shoestring": "",
	} {
		got := w.get("/_vitrine/form/3", "Referer: "+from)
		marked := []string{}
		for _, m := range current.FindAllStringSubmatch(got.Body, -1) {
			marked = append(marked, m[1])
		}
		if strings.Join(marked, " ") != want {
			t.Errorf("from %q the menu marks %q, want %q", from, marked, want)
		}
		if strings.Contains(got.Body, `aria-current="page"`) {
			t.Errorf("from %q the page is marked as the home page", from)
		}
	}
	if sent := w.get("/_vitrine/form/3/sent?_from=/about"); !strings.Contains(sent.Body, `href="/about" aria-current="true"`) {
		t.Error("after the form was sent the menu marks something else")
	}
}
