package movein_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/compile/movein"
	"vitrine/compile/redirect"
)

const wordPressHead = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>Blog</title>
`

// post is an item of an export of WordPress.
func post(id int, kind, status, slug, text string, more ...string) string {
	return fmt.Sprintf(`<item><title>Post &amp;amp; %d</title><link>https://old.example/2026/05/%s/</link><content:encoded><![CDATA[%s]]></content:encoded><excerpt:encoded><![CDATA[Short]]></excerpt:encoded>`+
		`<wp:post_id>%d</wp:post_id><wp:post_date><![CDATA[2026-05-01 12:00:00]]></wp:post_date><wp:post_date_gmt><![CDATA[2026-05-01 10:00:00]]></wp:post_date_gmt><wp:post_name><![CDATA[%s]]></wp:post_name><wp:status>%s</wp:status><wp:post_type>%s</wp:post_type>%s</item>`+"\n",
		id, slug, text, id, slug, status, kind, strings.Join(more, ""))
}

func TestPostsOfWordPressBecomeArticlesAndPagesPages(t *testing.T) {
	plan := read(t, nil, wordPressHead+
		post(5, "post", "publish", "tea", "<!-- wp:paragraph -->\n<p>Text</p>\n<!-- /wp:paragraph -->", `<category domain="category" nicename="news"><![CDATA[News &amp; more]]></category><category domain="post_tag" nicename="x"><![CDATA[x]]></category><wp:postmeta><wp:meta_key>_thumbnail_id</wp:meta_key><wp:meta_value>9</wp:meta_value></wp:postmeta>`)+
		post(9, "attachment", "inherit", "pic", "", "<wp:attachment_url>https://old.example/a.jpg</wp:attachment_url>")+post(6, "page", "publish", "about", "A")+post(7, "nav_menu_item", "publish", "m", "")+post(8, "post", "trash", "gone", "")+"</channel></rss>")
	if len(plan.Articles) != 1 || len(plan.Pages) != 1 || len(plan.Products) != 0 {
		t.Fatalf("%+v", plan)
	}
	a := plan.Articles[0]
	if a.Title != "Post & 5" || a.Key != "tea" || a.Slug != "tea" || a.Text != "<p>Text</p>" || a.Summary != "Short" || !a.PublishedAt.Equal(time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)) || !a.Published ||
		a.Picture != "https://old.example/a.jpg" || !slices.Equal(a.Rubrics, []string{"News & more"}) || !slices.Equal(a.Tags, []string{"x"}) || !slices.Equal(a.Old, []string{"/2026/05/tea", "/?p=5"}) {
		t.Errorf("%+v", a)
	}
	if p := plan.Pages[0]; p.Key != "about" || !slices.Equal(p.Old, []string{"/2026/05/about", "/?page_id=6"}) || p.Text != "<p>A</p>" {
		t.Errorf("%+v", p)
	}
}

func TestOnlyWhatWordPressPublishedWithoutAPasswordIsLive(t *testing.T) {
	for status, want := range map[string]bool{"publish": true, "draft": false, "private": false, "pending": false, "future": false} {
		if plan := read(t, nil, wordPressHead+post(5, "post", status, "tea", "")+"</channel></rss>"); plan.Articles[0].Published != want {
			t.Errorf("%s: %v", status, plan.Articles[0].Published)
		}
	}
	if plan := read(t, nil, wordPressHead+post(5, "post", "publish", "tea", "", "<wp:post_password>x</wp:post_password>")+"</channel></rss>"); plan.Articles[0].Published {
		t.Error("a post with a password is live")
	}
}

func TestBlankLinesOfAClassicTextSeparateParagraphs(t *testing.T) {
	for text, want := range map[string]string{
		"One\ntwo\r\n\r\nThree\n\n\n<h2>Four</h2>":                                 "<p>One<br>\ntwo</p>\n<p>Three</p>\n<h2>Four</h2>",
		"<p>One</p>\n\nTwo":                                                        "<p>One</p>\nTwo",
		"<!-- wp:heading --><h2>A</h2><!-- /wp:heading -->":                        "<h2>A</h2>",
		"A<script>alert(1)</script><STYLE>x</STYLE>B":                              "<p>AB</p>",
		"[caption id=\"a\"]<img src=\"https://old.example/1.jpg\"> Text[/caption]": "<p><img src=\"https://old.example/1.jpg\"> Text</p>",
		"a\x02b": "<p>ab</p>",
	} {
		if plan := read(t, nil, wordPressHead+post(5, "post", "publish", "tea", text)+"</channel></rss>"); plan.Articles[0].Text != want {
			t.Errorf("%q: %q", text, plan.Articles[0].Text)
		}
	}
}

func TestCommentsOfReadersAreALoss(t *testing.T) {
	plan := read(t, nil, wordPressHead+post(5, "post", "publish", "tea", "x", "<wp:comment><wp:comment_id>1</wp:comment_id></wp:comment><wp:comment/>")+"</channel></rss>")
	wantLost(t, plan, "COMMENTS_SKIPPED 2")
}

func TestSlugsOfOtherScriptsAreDecoded(t *testing.T) {
	plan := read(t, nil, wordPressHead+post(5, "post", "publish", "%d1%87%d0%b0%d0%b9", "x")+"</channel></rss>")
	if a := plan.Articles[0]; a.Key != "чай" || a.Slug != "chay" || a.Old[0] != "/2026/05/%d1%87%d0%b0%d0%b9" {
		t.Errorf("%+v", a)
	}
}

func TestATruncatedExportOfWordPressKeepsWhatCameBefore(t *testing.T) {
	plan := read(t, nil, wordPressHead+post(5, "post", "publish", "tea", "x")+post(6, "post", "publish", "cup", "x")[:200])
	if wantLost(t, plan, "FILE_TRUNCATED 1"); len(plan.Articles) != 1 {
		t.Errorf("%+v", plan)
	}
}

func TestDeepNestingIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"xml":  wordPressHead + strings.Repeat("<a>", 100_000),
		"json": `{"db": [{"meta": {}, "data": ` + strings.Repeat("[", 5000),
	} {
		plan, err := loaded(movein.Read([]movein.File{file(name, text)}, eur, nil, newSpool()))
		if err != nil && !errors.Is(err, movein.ErrInvalid) || err == nil && len(plan.Losses) == 0 {
			t.Errorf("%s: %v, %+v", name, err, plan)
		}
	}
}

func TestOneTextOfAnEndlessFileIsNotHeld(t *testing.T) {
	for name, start := range map[string]string{
		"xml text": wordPressHead + "<item><title>", "xml tag": wordPressHead + "<item a=\"", "cdata": wordPressHead + "<item><title><![CDATA[<", "yml": "<yml_catalog><shop><offers><offer><name>",
		"json text": `{"db": [{"meta": {}, "data": {"x": "`, "json post": `{"db": [{"meta": {}, "data": {"posts": [{"title": "`, "rules": `{"plugin": {}, "groups": [], "redirects": [{"url": "`,
	} {
		f := movein.File{Name: name, Open: func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(strings.NewReader(start), &repeated{piece: "x< ", size: 20 << 20})), nil
		}}
		if strings.HasPrefix(name, "xml") || name == "yml" {
			f.Open = func() (io.ReadCloser, error) {
				return io.NopCloser(io.MultiReader(strings.NewReader(start), &repeated{piece: "xy ", size: 20 << 20})), nil
			}
		}
		if _, err := movein.Read([]movein.File{f}, eur, nil, newSpool()); !errors.Is(err, movein.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPostsOfGhostBecomeArticlesAndPagesPages(t *testing.T) {
	plan := read(t, map[string]string{"address": "https://old.example"}, `{"db": [{"meta": {"version": "5"}, "data": {
"posts": [
 {"id": "a1", "title": "Tea &amp; cups", "slug": "tea", "html": "<p><a href=\"__GHOST_URL__/cup/\">x</a></p><script>1</script>", "status": "published", "visibility": "public", "type": "post", "feature_image": "__GHOST_URL__/content/images/a.jpg", "published_at": "2026-05-01T10:00:00.000Z", "custom_excerpt": "Short", "unknown": {"deep": [1, {"a": null}]}},
 {"id": "a2", "title": "Members", "slug": "members", "html": "x", "status": "published", "visibility": "members", "type": "post"},
 {"id": 3, "title": "About", "slug": "about", "html": null, "lexical": "{}", "status": "draft", "visibility": "public", "page": 1}],
"tags": [{"id": "t1", "name": "News"}, {"id": "t2", "name": "#internal"}, {"id": "t3", "name": "Extra"}],
"posts_tags": [{"post_id": "a1", "tag_id": "t3", "sort_order": 1}, {"post_id": "a1", "tag_id": "t1", "sort_order": 0}, {"post_id": "a1", "tag_id": "t2", "sort_order": 2}],
"posts_meta": [{"post_id": "a1", "meta_title": "Seo", "meta_description": "About"}]}}]}`)
	if len(plan.Articles) != 2 || len(plan.Pages) != 1 {
		t.Fatalf("%+v", plan)
	}
	a := plan.Articles[0]
	if a.Title != "Tea & cups" || a.Text != `<p><a href="/cup/">x</a></p>` || !a.Published || a.Picture != "https://old.example/content/images/a.jpg" || a.Seo != (movein.Seo{Title: "Seo", Description: "About"}) ||
		!slices.Equal(a.Tags, []string{"News", "Extra"}) || !slices.Equal(a.Rubrics, []string{"News"}) || a.Old[0] != "/tea" || a.PublishedAt.Month() != time.May || a.Summary != "Short" {
		t.Errorf("%+v", a)
	}
	if plan.Articles[1].Published || plan.Pages[0].Published || plan.Pages[0].Key != "about" {
		t.Errorf("%+v %+v", plan.Articles[1], plan.Pages[0])
	}
	wantLost(t, plan, "TEXT_MISSING 1")
}

func TestATruncatedExportOfGhostKeepsWhatCameBefore(t *testing.T) {
	plan := read(t, nil, `{"db": [{"meta": {}, "data": {"posts": [{"id": "1", "title": "A", "slug": "a", "html": "x", "status": "published"}, {"id": "2", "ti`)
	if wantLost(t, plan, "FILE_TRUNCATED 1"); len(plan.Articles) == 0 || plan.Articles[0].Title != "A" {
		t.Errorf("%+v", plan)
	}
}

// rules prints the rules of a plan.
func rules(list []movein.Redirect) (out []string) {
	for _, r := range list {
		out = append(out, ruleText(r.Rule))
	}
	return out
}

func ruleText(r redirect.Rule) string {
	text := fmt.Sprintf("%s %s %d", r.From, r.To, r.Code)
	for flag, on := range map[string]bool{" off": !r.Enabled, " override": r.OverrideLive, " external": r.External} {
		if on {
			text += flag
		}
	}
	if r.QueryMatch != "" {
		text += " if " + r.QueryMatch
	}
	return text
}

func TestFilesOfRedirects(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		rules []string
		lost  []string
	}{
		"shopify": {"Redirect from,Redirect to\n/old,/products/tea\n/old,/other\n/a?b=c,https://other.example/x\n,\n", []string{"/old /products/tea 301", "/a https://other.example/x 301 external if b=c"}, []string{"REDIRECT_DUPLICATE 1"}},
		"redirection": {"source,target,regex,code,type,hits,title,status\n/old/,/new,0,301,url,5,Note,\n^/blog/(.*)$,/news/$1,1,302,url,0,,\n^/(\\d+)-(?=x)$,/x,1,301,url,0,,\n/gone,,0,410,url,0,,\n/off,/on,0,307,url,0,,disabled\n",
			[]string{"/old/ /new 301", "/blog/* /news 302", "/off /on 302 off"}, []string{"REDIRECT_EXPRESSION 1", "REDIRECT_NO_TARGET 1"}},
		"redirection json": {`{"plugin": {"version": "5"}, "groups": [{"id": 1}], "redirects": [{"id": 1, "url": "/old", "action_data": {"url": "/new"}, "action_code": 301, "regex": false, "enabled": true}, {"url": "/a", "action_data": "/b", "action_code": "302", "regex": 0, "enabled": false}, {"url": "/c", "action_data": {"logged_in": "/d"}, "action_code": 301}]}`,
			[]string{"/old /new 301", "/a /b 302 off"}, []string{"REDIRECT_NO_TARGET 1"}},
		"yoast":      {"Origin,Target,Type,Format\nold,/new,301,plain\ngone,,451,plain\n^shop/(.*),/goods/$1,302,regex\n", []string{"/old /new 301", "/shop/* /goods 302"}, []string{"REDIRECT_NO_TARGET 1"}},
		"ghost json": {`[{"from": "^/a/$", "to": "/b", "permanent": true}, {"from": "/c", "to": "/d"}]`, []string{"/a /b 301", "/c /d 302"}, nil},
		"ghost yaml": {"301:\n  /a: /b\n  ^/tag/(.*)$: /t/$1\n\n302:\n  \"/c: d\": '/e'\n  nothing\n", []string{"/a /b 301", "/tag/* /t 301", "/c: d /e 302"}, []string{"REDIRECT_INVALID 1"}},
	} {
		plan := read(t, nil, c.text)
		if got := rules(plan.Redirects); !slices.Equal(got, c.rules) || !slices.Equal(lost(plan), c.lost) {
			t.Errorf("%s: %q, %q; want %q, %q\n%+v", name, got, lost(plan), c.rules, c.lost, plan.Rows)
		}
		if plan.Counts().Redirects != len(c.rules) {
			t.Errorf("%s: %+v", name, plan.Counts())
		}
	}
}

func TestAnAddressOnTheOldShopIsAPath(t *testing.T) {
	plan := read(t, map[string]string{"address": "https://old.example"}, "Redirect from,Redirect to\nhttps://old.example/a,https://OLD.example/b?c=d\n/e,https://other.example/f\n")
	if got := rules(plan.Redirects); !slices.Equal(got, []string{"/a /b?c=d 301", "/e https://other.example/f 301 external"}) {
		t.Errorf("%q %v", got, plan.Rows)
	}
}

func TestCustomersNeedAnAddressThatNoOtherHas(t *testing.T) {
	plan := read(t, nil, "Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address City,Default Address Phone,Phone,Note,Tags\n"+
		"1,Ana,O'Neil &amp; Co,Ana@Example.com,yes,Lisbon,'+351 1,,VIP,\"a, b\"\n2,Bo,,,no,,,,,\n3,Cy,,ana@example.com,no,,,,,\n4,Di,,not an address,no,,,,,\n5,,,e@example.com,no,,'+1 2,'+3 4,,\n")
	if wantLost(t, plan, "EMAIL_MISSING 1", "EMAIL_DUPLICATE 1", "EMAIL_INVALID 1"); len(plan.Customers) != 2 {
		t.Fatalf("%+v", plan.Customers)
	}
	c := plan.Customers[0]
	if c.Key != "ana@example.com" || c.Email != "Ana@Example.com" || c.LastName != "O'Neil & Co" || c.Phone != "+351 1" || !*c.Agreed || !slices.Equal(c.Tags, []string{"a", "b"}) || c.Note != "VIP" {
		t.Errorf("%+v", c)
	}
	if plan.Customers[1].Phone != "+3 4" || *plan.Customers[1].Agreed {
		t.Errorf("%+v", plan.Customers[1])
	}
	if plan.Counts().Customers != 2 {
		t.Error(plan.Counts())
	}
}

// repeated is a text of this length that repeats a piece, without holding it.
type repeated struct {
	piece    string
	at, size int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	if r.at >= r.size {
		return 0, io.EOF
	}
	for block := strings.Repeat(r.piece, 1000); n < len(p); {
		n += copy(p[n:], block[(r.at+n)%len(r.piece):])
	}
	r.at += n
	return n, nil
}
