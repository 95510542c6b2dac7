package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestVersionFlagPrintsTheBuild(t *testing.T) {
	t.Parallel()
	out, _, err := newMachine(t).run("--version")
	if want := "vitrine unknown (" + runtime.Version() + ")\n"; err != nil || string(out) != want { // test binaries have no commit
		t.Errorf("%q, %v, want %q", out, err, want)
	}
}

func TestVersionIsTheTagElseTheCommit(t *testing.T) {
	commit := []debug.BuildSetting{
		{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "1a64f9881234567890abcdef1234567890abcdef"}, {Key: "vcs.time", Value: "2026-11-27T10:23:03Z"},
	}
	changed := append(commit[:3:3], debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	for _, c := range []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"v0.3.0", commit, "0.3.0 (commit 1a64f9881234 of 2026-11-27, go1.26.8)"},
		{"v0.3.0+dirty", changed, "0.3.0 (commit 1a64f9881234 of 2026-11-27, with changes, go1.26.8)"},
		{"v0.4.0-rc.1", commit, "0.4.0-rc.1 (commit 1a64f9881234 of 2026-11-27, go1.26.8)"},
		{"v0.3.1-0.20261127102303-1a64f9881234", commit, "1a64f9881234 (commit 1a64f9881234 of 2026-11-27, go1.26.8)"},
		{"v0.0.0-20261127102303-1a64f9881234+dirty", changed, "1a64f9881234 (commit 1a64f9881234 of 2026-11-27, with changes, go1.26.8)"},
		{"v0.4.0-rc.1.0.20261127102303-1a64f9881234", commit, "1a64f9881234 (commit 1a64f9881234 of 2026-11-27, go1.26.8)"},
		{"(devel)", nil, "unknown (go1.26.8)"},
		{"", nil, "unknown (go1.26.8)"},
	} {
		info := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: "vitrine", Version: c.version}, Settings: c.settings}
		if got := buildOf(info).String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.version, got, c.want)
		}
	}
}
