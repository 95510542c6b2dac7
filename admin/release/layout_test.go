package release_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
)

// picture returns a PNG of the given size.
func picture(t testing.TB, width, height int) string {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func layoutFolder(t testing.TB) files {
	return files{
		"index.html":   `<!doctype html><html><head><title>T</title><link rel="stylesheet" href="css/site.css"></head><body></body></html>`,
		"css/site.css": "body{margin:0}", "img/favicon.png": picture(t, 300, 200),
	}
}

// sendLayout creates a release of a layout's folder and uploads what is missing.
func sendLayout(a *apitest.API, theme, base string, f files) (id string) {
	answer := a.OK("POST", "/themes/"+theme+"/site/releases", a.Owner, m{"base": base, "files": f.manifest()})
	for _, u := range answer["upload"].(l) {
		a.OK("PUT", u.(m)["upload_url"].(string), "", f[u.(m)["path"].(string)])
	}
	return answer["release_id"].(string)
}

func publishLayout(a *apitest.API, theme, release string) m {
	return a.OK("POST", "/themes/"+theme+"/site/releases/"+release+"/publish", a.Owner, nil)
}

func layoutSite(a *apitest.API, theme string) m {
	return a.Result("GET", "/themes/"+theme+"/site", a.Owner, nil)
}

func TestALayoutHasAFolder(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	theme := group(a, "theme")
	if s := layoutSite(a, theme); s["base"] != "" || s["scope_class"] != "" || len(s["files"].(l)) != 0 || len(s["icons_generated"].(l)) != 0 {
		t.Errorf("before the first release: %v", s)
	}
	folder := layoutFolder(t)
	first := sendLayout(a, theme, "active", folder)
	if s := layoutSite(a, theme); s["base"] != "" {
		t.Errorf("an unpublished release is shown: %v", s)
	}
	answer := publishLayout(a, theme, first)
	s := layoutSite(a, theme)
	doc := fmt.Sprint(s["document_id"])
	base := "/_html/" + doc + "/" + first + "/"
	if s["base"] != base || s["scope_class"] != "svc-body-"+doc || apitest.Values(s["files"], "path") != "css/site.css img/favicon.png index.html" {
		t.Errorf("site %v", s)
	}
	if answer["embed_prefix"] != base || answer["path"] != "/" || len(answer["report"].(m)["warnings"].(l)) != 0 {
		t.Errorf("publish %v", answer)
	}
	icons := s["icons_generated"].(l)
	sizes := map[string]bool{}
	for _, v := range icons {
		sizes[fmt.Sprint(v.(m)["size"])] = v.(m)["path"] == fmt.Sprintf("%ssvc-icons/icon-%v.png", base, v.(m)["size"])
	}
	if len(icons) != 4 || !sizes["32"] || !sizes["180"] || !sizes["192"] || !sizes["512"] {
		t.Errorf("icons %v", icons)
	}

	// The next release inherits files that it does not contain, except for the icons generated
	// from another picture.
	folder = files{"img/favicon.png": picture(t, 40, 40), "img/icon.gif": "not a picture"}
	second := sendLayout(a, theme, "active", folder)
	if warned := codes(publishLayout(a, theme, second)["report"], "warnings"); !strings.Contains(warned, "icon.unreadable") {
		t.Errorf("an unreadable picture is not reported: %s", warned)
	}
	if s := layoutSite(a, theme); len(s["icons_generated"].(l)) != 0 ||
		apitest.Values(s["files"], "path") != "css/site.css img/favicon.png img/icon.gif index.html" {
		t.Errorf("an unreadable picture: %v", s)
	}
	publishLayout(a, theme, first)
	if s := layoutSite(a, theme); s["active_release_id"] != first || len(s["icons_generated"].(l)) != 4 {
		t.Errorf("published again: %v", s)
	}
	if s := a.Result("POST", "/themes/"+theme+"/site/rollback", a.Owner, m{"release_id": second}); s["active_release_id"] != second {
		t.Errorf("rolled back: %v", s)
	}
}

func TestInvalidFoldersOfLayoutsAreRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	theme, chrome, doc := group(a, "theme"), group(a, "chrome"), newDocument(a)
	none := m{"base": "none", "files": layoutFolder(t).manifest()}
	for _, id := range []string{chrome, "999"} {
		a.Refused("GET", "/themes/"+id+"/site", a.Owner, nil, 404, "BLOCK_NOT_FOUND")
		a.Refused("POST", "/themes/"+id+"/site/releases", a.Owner, none, 404, "BLOCK_NOT_FOUND")
		a.Refused("POST", "/themes/"+id+"/site/releases/1/publish", a.Owner, nil, 404, "BLOCK_NOT_FOUND")
	}
	a.Refused("POST", "/themes/"+theme+"/site/releases/1/publish", a.Owner, nil, 404, "RELEASE_NOT_FOUND")
	taken := m{"base": "none", "files": files{"index.html": html("x"), "svc-icons/icon-32.png": "x"}.manifest()}
	if said := a.Refused("POST", "/themes/"+theme+"/site/releases", a.Owner, taken, 400, "RELEASE_PATH_INVALID"); said["path"] != "svc-icons/icon-32.png" {
		t.Errorf("the folder of generated icons: %v", said)
	}
	a.OK("POST", "/html-documents/"+doc+"/releases", a.Owner, taken)
	a.Refused("GET", "/themes/"+theme+"/site", a.Stranger, nil, 404, "BLOCK_NOT_FOUND")
	a.Refused("POST", "/themes/"+theme+"/site/releases", a.Editor, none, 403, "HTML_SCRIPT_ROLE_REQUIRED")
	broken := sendLayout(a, theme, "none", files{"index.html": `<!doctype html><frameset>`})
	a.Refused("POST", "/themes/"+theme+"/site/releases/"+broken+"/publish", a.Owner, nil, 422, "RELEASE_INVALID")
	a.Refused("POST", "/themes/"+theme+"/site/rollback", a.Owner, m{"release_id": broken}, 400, "RELEASE_NOT_LIVE")
	other := publish(a, doc, files{"index.html": html("x")})
	a.Refused("POST", "/themes/"+theme+"/site/releases/"+other+"/publish", a.Owner, nil, 404, "RELEASE_NOT_FOUND")
	waiting := a.OK(
		"POST", "/themes/"+theme+"/site/releases", a.Owner,
		m{"base": "none", "files": files{"index.html": html("new")}.manifest()},
	)
	a.Refused("POST", "/themes/"+theme+"/site/releases/"+waiting["release_id"].(string)+"/publish", a.Owner, nil, 409, "FILES_PENDING")
	publishLayout(a, theme, sendLayout(a, theme, "none", layoutFolder(t)))
	folder := fmt.Sprint(layoutSite(a, theme)["document_id"])
	a.Refused("POST", "/html-documents/"+folder+"/releases", a.Owner, none, 404, "HTML_DOCUMENT_NOT_FOUND")
	for _, d := range a.OK("GET", "/html-documents", a.Owner, nil)["result"].(l) {
		if d.(m)["id"] == folder {
			t.Error("the folder is listed among the documents")
		}
	}
}

// The draft and the live shop share one folder per layout, whichever creates it.
func TestDraftAndLiveShopShareTheFolderOfALayout(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	theme := group(a, "theme")
	draft := m{"base": "none", "files": files{"index.html": html("draft")}.manifest()}
	made := a.OK("POST", "/themes/"+theme+"/site/releases", a.Dev, draft)
	a.OK("PUT", made["upload"].(l)[0].(m)["upload_url"].(string), "", html("draft"))
	at := "/themes/" + theme + "/site/releases/" + made["release_id"].(string) + "/publish"
	a.OK("POST", at, a.Dev, nil)
	if s := layoutSite(a, theme); s["base"] != "" {
		t.Errorf("the draft is live: %v", s)
	}
	publishLayout(a, theme, sendLayout(a, theme, "none", layoutFolder(t)))
	live, mine := layoutSite(a, theme), a.Result("GET", "/themes/"+theme+"/site", a.Dev, nil)
	if live["document_id"] != mine["document_id"] || mine["active_release_id"] != made["release_id"] ||
		live["active_release_id"] == mine["active_release_id"] {
		t.Errorf("live %v, draft %v", live, mine)
	}
	own := a.Result("POST", "/content-blocks", a.Dev, m{"item": m{"name": "Draft look", "group_type": "theme"}})["id"].(string)
	a.OK("POST", "/themes/"+own+"/site/releases", a.Dev, draft)
	a.Refused("POST", "/themes/"+own+"/site/releases", a.Owner, draft, 404, "BLOCK_NOT_FOUND")
}
