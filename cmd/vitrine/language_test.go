package main

import (
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"vitrine/internal/await"
)

// phrases are expressions that comments, messages and documents do not use, each with a better
// one: most of them leave open who does what. A space matches the end of a line too.
var phrases = []struct{ pattern, better string }{
	{`(for|of|to|by|from|with|than|as|in|without) who`, "name them: visitors without a session, the person who …"},
	{`whoever is nobody`, "visitors without a session"},
	{`nobody (can|may|could) be`, "no one is, or: without a live session"},
	{`(by|of|from|with|for|to) nobody`, "without an actor, without an owner"},
	{`nobody's`, "without an owner"},
	{`what nobody`, "name the thing: unused, unknown, unread"},
	{`come what may`, "in any case"},
	{`(goes|go|going|went) every way`, "is read and written, is exported and imported"},
	{`(is|are|was|were|be) none of`, "is not one of"},
	{`(that|it|which|who|what) (is|are|was) none`, "is not one"},
	{`(he|him|his) [a-z]+`, "they, or the noun again"},
	{`himself`, "themselves, or the noun again"},
	{`what is (over|nil|none|no)`, "expired, unset: name the thing"},
	{`what became of`, "the result of"},
	{`anew`, "again"},
	{`what stands`, "name the thing: the text, the rest of the address"},
	{`in the place of`, "in place of"},
	{`the living`, "those that are not deleted"},
	{`that which`, "name the thing"},
	{`(say|says|said) of`, "reports, states about"},
	{`(tell|tells) of`, "reports, is about"},
	{`dated ahead`, "with a future date"},
	{`is who`, "determines who, or: names the person who"},
	{`behind the point`, "decimals"},
	{`(is|are|was) away`, "is unavailable"},
	{`fights? for`, "contend for"},
	{`waits? for a desk`, "acquires buffer budget"},
}

// sound are expressions that contain a phrase and are proper English.
var sound = regexp.MustCompile(`(?i)regardless\s+of\s+who|independently\s+of\s+who|depends\s+on\s+who`)

// TestLanguage finds the phrases in comments, string literals and documents. Applied migrations
// cannot be changed, and the files in testdata are input.
func TestLanguage(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(await.Context(t), "git", "-C", "../..", "ls-files").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	var each []*regexp.Regexp
	for _, p := range phrases {
		pattern := strings.ReplaceAll(p.pattern, " ", `\s+`)
		all = append(all, pattern)
		each = append(each, regexp.MustCompile(`^(?i)(`+pattern+`)$`))
	}
	any := regexp.MustCompile(`(?i)\b(` + strings.Join(all, "|") + `)\b`)
	checked := 0
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		prose := proseOf(name)
		if prose == nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join("../..", name))
		if os.IsNotExist(err) {
			continue // deleted, but not committed yet
		} else if err != nil {
			t.Fatal(err)
		}
		checked++
		for _, p := range prose(text) {
			for _, at := range any.FindAllStringIndex(p.text, -1) {
				if isSound(p.text, at) {
					continue
				}
				found := p.text[at[0]:at[1]]
				which := slices.IndexFunc(each, func(one *regexp.Regexp) bool { return one.MatchString(found) })
				line := p.line + strings.Count(p.text[:at[0]], "\n")
				t.Errorf("%s:%d: %q: %s", name, line, strings.Join(strings.Fields(found), " "), phrases[which].better)
			}
		}
	}
	if checked < 1000 {
		t.Errorf("only %d files were checked", checked)
	}
}

// isSound reports whether a match is part of a sound expression, or a keyword of SQL with a name
// after it, such as FROM who.
func isSound(text string, at []int) bool {
	for _, s := range sound.FindAllStringIndex(text, -1) {
		if s[0] <= at[0] && at[1] <= s[1] {
			return true
		}
	}
	first, _, _ := strings.Cut(text[at[0]:at[1]], " ")
	return strings.ToUpper(first) == first && len(first) > 1
}

// prose is a piece of text and its first line in its file.
type prose struct {
	text string
	line int
}

// proseOf returns the function that extracts the prose of a file, nil for files without prose.
func proseOf(name string) func(text []byte) []prose {
	switch input := strings.Contains("/"+name, "/testdata/"); {
	case strings.HasSuffix(name, ".go"):
		if name == "cmd/vitrine/language_test.go" {
			return nil
		}
		return proseOfGo
	case strings.HasSuffix(name, ".md"), !input && strings.HasSuffix(name, ".txt"), name == "Makefile", strings.HasPrefix(name, ".ci/"):
		return func(text []byte) []prose { return []prose{{string(text), 1}} }
	}
	return nil
}

// proseOfGo returns the comments and string literals of a Go file. Consecutive line comments are
// one text.
func proseOfGo(text []byte) (list []prose) {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	next := 0 // the line that would continue the last comment
	for {
		pos, kind, literal := s.Scan()
		line := file.Line(pos)
		switch {
		case kind == token.EOF:
			return list
		case kind == token.STRING:
			list, next = append(list, prose{literal, line}), 0
		case kind == token.COMMENT:
			words := strings.TrimLeftFunc(strings.TrimPrefix(literal, "//"), unicode.IsSpace)
			if line == next {
				list[len(list)-1].text += "\n" + words
			} else {
				list = append(list, prose{words, line})
			}
			next = line + 1 + strings.Count(words, "\n")
		case kind == token.SEMICOLON && literal == "\n": // inserted at the end of a line
		default:
			next = 0
		}
	}
}

func TestProseOfGo(t *testing.T) {
	list := proseOfGo([]byte("package p\n\n// A counts\n// visits.\nvar a = \"b c\" // d\n\n// e\n"))
	want := []prose{{"A counts\nvisits.", 3}, {`"b c"`, 5}, {"d", 5}, {"e", 7}}
	if len(list) != len(want) {
		t.Fatalf("%+v", list)
	}
	for i := range want {
		if list[i] != want[i] {
			t.Errorf("%+v, want %+v", list[i], want[i])
		}
	}
}
