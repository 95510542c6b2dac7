package main

import (
	"fmt"
	"path/filepath"
	"runtime/debug"

	"github.com/alecthomas/kong"

	"vitrine/cmd/vitrine/example"
)

type exampleCmd struct {
	Name string `arg:"" enum:"website,handbook,redirects" help:"website, handbook or redirects."`
	Dir  string `arg:"" optional:"" help:"The folder to write to; default: ./examples/NAME, which git ignores."`
}

// Run writes the example.
func (c *exampleCmd) Run() error {
	dir := c.Dir
	if dir == "" {
		dir = filepath.Join("examples", c.Name)
	}
	written, err := example.Write(c.Name, dir)
	if err != nil {
		return err
	}
	answer := map[string]any{"dir": dir, "files": written}
	for _, e := range example.All {
		if e.Name == c.Name {
			answer["next"] = e.About
		}
	}
	return printJSON(answer)
}

// versionFlag prints the version and exits.
type versionFlag bool

// BeforeReset is called by kong before it evaluates the rest of the command line.
func (versionFlag) BeforeReset(app *kong.Kong) error {
	fmt.Fprintln(app.Stdout, version())
	app.Exit(0)
	return nil
}

// version is the built release, or the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "vitrine (unknown version)"
	}
	text := "vitrine " + info.Main.Version
	marks := map[string]string{}
	for _, s := range info.Settings {
		marks[s.Key] = s.Value
	}
	if commit := marks["vcs.revision"]; len(commit) >= 12 {
		text += " " + commit[:12]
	}
	if marks["vcs.modified"] == "true" {
		text += " with changes"
	}
	return text + " " + info.GoVersion
}
