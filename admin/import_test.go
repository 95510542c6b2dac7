package admin_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/race"
)

// importRows returns the paths of the endpoints that import a CSV text.
func importRows(a *apitest.API) (paths []string) {
	for _, e := range a.Admin.Table() {
		if e.Method == "POST" && strings.HasSuffix(e.Path, "/import") && len(e.Consumes) == 0 {
			paths = append(paths, e.Path)
		}
	}
	return paths
}

// hostileSheets are texts that reach about the size limit of an import once encoded as JSON.
func hostileSheets() map[string]string {
	const size = 7_500_000
	head := "email,sku,name,from,to\n"
	return map[string]string{
		"commas": head + strings.Repeat(",", size), "semicolons": "email;sku;from\n" + strings.Repeat(";", size),
		"quotes": head + `"` + strings.Repeat(`""`, size/4), "empty cells": head + strings.Repeat(`"",`, size/5),
		"short lines": head + strings.Repeat("a,b\n", size/5), "empty lines": head + strings.Repeat("\n", size/2),
		"columns": strings.Repeat("a,", size/2) + "\n1", "one cell": head + strings.Repeat("a", size),
		"addresses": "email\n" + strings.Repeat("a@b.co\n", size/8),
	}
}

// An import never holds much more memory than its text, whatever the text contains, so that one
// tenant's file cannot take the server down for the others.
func TestNoImportHoldsMuchMoreThanItsText(t *testing.T) {
	a := apitest.New(t) // alone: memory is counted for the whole process
	rows := importRows(a)
	if len(rows) < 3 {
		t.Fatalf("only %v import", rows)
	}
	worst, of, took := uint64(0), "", time.Duration(0)
	for _, path := range rows {
		for name, text := range hostileSheets() {
			a.Clock.Advance(time.Hour)
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			begun := time.Now()
			got := a.Send(apitest.Request{Method: "POST", Path: path, Key: a.Owner, Body: apitest.Map{"text": text, "dry_run": true}})
			spent := time.Since(begun)
			runtime.ReadMemStats(&after)
			if got.Status >= 500 {
				t.Errorf("%s, %s: %d %.200s", path, name, got.Status, got.Body)
			}
			if all := after.TotalAlloc - before.TotalAlloc; all > worst {
				worst, of, took = all, path+", "+name, spent
			}
		}
	}
	t.Logf("the worst request is %s: %d MB allocated in all, client included, %v", of, worst>>20, took.Round(time.Millisecond))
	if worst > race.MemoryFactor*300<<20 {
		t.Errorf("%s allocates %d MB", of, worst>>20)
	}
}

// Every import refuses the exports of other systems as a whole, whatever they contain.
func TestEveryImportRefusesOtherSystems(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, path := range importRows(a) {
		for text, system := range map[string]string{
			"ID,Type,SKU,Name,Published,Regular price\n1,simple,T,Tea,1,5\n":                                  "woocommerce",
			"First Name,Last Name,Email,Accepts Email Marketing\nAnn,Miller,ann@people.test,yes\n":            "shopify",
			"sep=;\n\ufeffsource;target;regex;code\n/a;/b;0;301\n":                                            "redirection",
			"<?xml version=\"1.0\"?><rss xmlns:g=\"http://base.google.com/ns/1.0\"><channel></channel></rss>": "google",
		} {
			for _, dry := range []bool{true, false} {
				a.Clock.Advance(time.Minute)
				answer := a.Refused("POST", path, a.Owner, apitest.Map{"text": text, "dry_run": dry}, 400, "IMPORT_FOREIGN")
				if said, _ := answer["error"].(string); !strings.HasSuffix(said, "IMPORT_FOREIGN: "+system) || answer["guidance"] == nil {
					t.Errorf("%s: %v", path, answer)
				}
			}
		}
	}
}
