package feed

import (
	"strings"
	"testing"
)

func TestTheReferenceIsCompleteAndItsExamplesRender(t *testing.T) {
	named := map[string]bool{}
	for _, chapter := range Reference() {
		for _, e := range chapter.Entries {
			named[strings.TrimPrefix(e.Name, "Product.")] = true
			named[strings.TrimPrefix(e.Name, "Category.")] = true
			if chapter.Title == "" || e.Signature == "" || e.Meaning == "" {
				t.Errorf("%s: %+v is incomplete", chapter.Slug, e)
			}
			if _, _, problem := render("a.txt", e.Example, small(), Options{}); problem != nil {
				t.Errorf("%s: %v", e.Example, problem)
			}
		}
	}
	for name := range functionNames {
		if !named[name] {
			t.Errorf("the function %s is not in the reference", name)
		}
	}
	for name := range fields {
		if !named[name] && name != "Shop" {
			t.Errorf("the field %s is not in the reference", name)
		}
	}
	platform := 0
	for name := range functions {
		for _, e := range platformChapter().Entries {
			if e.Name == name {
				platform++
			}
		}
	}
	if platform != 11 { // the eight of document 3, offers, minor, plain
		t.Errorf("%d functions of the platform, want eleven", platform)
	}
}

func TestSeedsRenderWellFormedDocuments(t *testing.T) {
	paths := map[string]string{"yandex_yml": "/yandex-feed.yml", "google_xml": "/google-feed.xml", "acp_jsonl": "/acp-feed.jsonl", "empty": "/file.txt"}
	for _, seed := range Seeds() {
		if paths[seed.Key] != seed.Path || seed.Name == "" || (seed.Key == "empty") != (seed.Body == "") {
			t.Errorf("%+v", seed)
		}
		_, result, problem := render(strings.TrimPrefix(seed.Path, "/"), seed.Body, small(), Options{})
		if problem != nil || result.Broken != nil {
			t.Errorf("%s: %v, %v", seed.Key, problem, result.Broken)
		}
	}
}
