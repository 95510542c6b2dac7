package main

import (
	"path/filepath"

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
