package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/await"
)

// startsPrograms lists the test files of make quick that start other programs, and why that is
// fast.
var startsPrograms = map[string]string{
	"compile/lead/lead_test.go":      "node compares the patterns of browsers",
	"compile/markup/hostile_test.go": "go list finds the documents of golang.org/x/net",
	"edge/bench_test.go":             "wrk, in benchmarks",
	"edge/tls_bench_test.go":         "h2load and nginx, in benchmarks",
	"edge/nginx_test.go":             "nginx, in benchmarks",
	"resizer/pressure_test.go":       "the test itself",
}

// The packages of make quick start neither Chromium nor a server. One that links the packages that
// start them is left out by .ci/unlinked; this test finds tests that start programs themselves.
func TestQuickStartsNoServers(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	var linked []string
	for _, match := range regexp.MustCompile(`(?m)^(?:SERVERS|CHROMIUM) +:= (.*)$`).FindAllSubmatch(makefile, -1) {
		linked = append(linked, strings.Fields(string(match[1]))...)
	}
	out, err := exec.CommandContext(await.Context(t), "../../.ci/unlinked", linked...).Output()
	if err != nil {
		t.Fatal(err)
	}
	quick := strings.Fields(string(out))
	for name, want := range map[string]bool{"compile": true, "edge": true, "resizer": true, "admin": false, "cmd/vitrine": false, "internal/blob": false, "render": false} {
		if slices.Contains(quick, "vitrine/"+name) != want {
			t.Errorf("%s is in make quick: %t, want %t", name, !want, want)
		}
	}
	for _, name := range quick {
		dir := strings.TrimPrefix(name, "vitrine/")
		files, err := filepath.Glob(filepath.Join("../..", dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			place := dir + "/" + filepath.Base(file)
			if starts := strings.Contains(string(text), "exec.Command"); starts != (startsPrograms[place] != "") {
				t.Errorf("%s starts a program: %t; compare startsPrograms", place, starts)
			}
		}
	}
}
