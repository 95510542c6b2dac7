package admin_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
)

// Every reading endpoint shows the draft or declares that it reads the live shop.
func TestEveryReadIsDecidedForTheDraftContour(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, e := range a.Admin.Table() {
		if e.Method != "GET" {
			continue
		}
		name, d := decided(e)
		if follows := e.Contour == api.CallersContour && e.Auth != api.Link; follows != (d.draft == showsDraft) || !follows && d.draft != "" {
			t.Errorf("%s: shows the draft: %v, decided: %q", name, follows, d.draft)
		}
	}
}

// asksBoth are the places that choose between the live shop and the draft by the data they
// find; everywhere else the endpoint determines the contour.
var asksBoth = map[string]string{
	"release/layout.go": "a folder is created in the contour of its layout",
	"release/folder.go": "a folder is created in the contour of its section",
}

func TestHandlersLeaveTheContourToTheirEndpoint(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/*.go")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		chooses := regexp.MustCompile(`\bstore\.(Live|InDraft)\(`).Match(text)
		if tested := strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "api/"); chooses && !tested && asksBoth[name] == "" {
			t.Errorf("%s chooses the contour itself", name)
		}
		if !chooses && asksBoth[name] != "" {
			t.Errorf("%s no longer chooses a contour", name)
		}
	}
}

// Every writing endpoint writes to the draft, refuses the draft contour, or gives the reason
// why it accepts it. A new endpoint fails here until it is decided.
func TestEveryWriteIsDecidedForTheDraftContour(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, e := range a.Admin.Table() {
		if e.Method == "GET" {
			continue
		}
		name, d := decided(e)
		switch {
		case e.Contour == api.RefusesDraft && d.draft != "":
			t.Errorf("%s refuses the draft contour, decided: %q", name, d.draft)
		case e.Contour != api.RefusesDraft && (d.draft == "" || d.draft == showsDraft):
			t.Errorf("%s: decide what it may do in the draft contour", name)
		case d.draft == writesDraft && (e.Contour != api.CallersContour || e.Auth == api.Link || strings.HasPrefix(name, "POST /v1/")):
			t.Errorf("%s has no draft", name)
		}
	}
}
