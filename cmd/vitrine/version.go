package main

import (
	"fmt"
	"regexp"
	"runtime/debug"

	"github.com/alecthomas/kong"
)

// versionFlag prints the version and exits.
type versionFlag bool

// BeforeReset is called by kong before it evaluates the rest of the command line.
func (versionFlag) BeforeReset(app *kong.Kong) error {
	fmt.Fprintln(app.Stdout, "vitrine", thisBuild())
	app.Exit(0)
	return nil
}

// buildInfo identifies the source that a binary was built from.
type buildInfo struct {
	version string // the tag without v, else the commit; "unknown" outside of a checkout
	commit  string // 12 digits; empty outside of a checkout
	date    string // of the commit, such as 2026-11-27
	changed bool   // the checkout had changes that were not committed
	golang  string // of the compiler, such as go1.26.8
}

// thisBuild describes the running binary. The go command records the tag and the commit in
// every binary that it builds in a checkout; test binaries have neither.
func thisBuild() buildInfo {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return buildInfo{version: "unknown"}
	}
	return buildOf(info)
}

// untagged matches the version that the go command derives from a commit without a tag, such
// as v0.3.1-0.20261127102303-1a64f9881234.
var untagged = regexp.MustCompile(`[.-]\d{14}-[0-9a-f]{12}(\+.*)?$`)

const commitDigits = 12

func buildOf(info *debug.BuildInfo) buildInfo {
	b := buildInfo{version: "unknown", golang: info.GoVersion}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.commit = s.Value[:min(commitDigits, len(s.Value))]
		case "vcs.time":
			b.date = s.Value[:min(len("2006-01-02"), len(s.Value))]
		case "vcs.modified":
			b.changed = s.Value == "true"
		}
	}
	if b.commit != "" {
		b.version = b.commit
	}
	if tag := tagged.FindString(info.Main.Version); tag != "" && !untagged.MatchString(info.Main.Version) {
		b.version = tag[1:]
	}
	return b
}

// tagged matches the tag in a version; the go command appends +dirty to that of a changed
// checkout.
var tagged = regexp.MustCompile(`^v\d[^+]*`)

// String returns the build in one line, such as
// "0.3.0 (commit 1a64f9881234 of 2026-11-27, with changes, go1.26.8)".
func (b buildInfo) String() string {
	text := b.version + " ("
	if b.commit != "" {
		text += "commit " + b.commit + " of " + b.date + ", "
	}
	if b.changed {
		text += "with changes, "
	}
	return text + b.golang + ")"
}
