// Command deployed checks files that container engines read: a compose file by the schema of the
// specification, and a container file by the parser of BuildKit. It has its own module, so that what it
// needs is not among the libraries of the product.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/schema"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"go.yaml.in/yaml/v3"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: deployed compose|container FILE")
	}
	if args[0] == "compose" {
		return compose(args[1])
	}
	return container(args[1])
}

func compose(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var file map[string]any
	if err := yaml.Unmarshal(text, &file); err != nil {
		return err
	}
	return schema.Validate(file)
}

// container refuses a file that does not parse, in which the linter of BuildKit finds something, or whose
// last stage runs as root.
func container(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	parsed, err := parser.Parse(f)
	if err != nil {
		return err
	}
	var found error
	lint := linter.New(&linter.Config{Warn: func(rule, description, _, message string, _ []parser.Range) {
		found = errors.Join(found, fmt.Errorf("%s: %s (%s)", rule, message, description))
	}})
	stages, _, err := instructions.Parse(parsed.AST, lint)
	if err != nil {
		return err
	}
	user := ""
	for _, command := range stages[len(stages)-1].Commands {
		if c, ok := command.(*instructions.UserCommand); ok {
			user = c.User
		}
	}
	if user == "" || user == "root" || user == "0" {
		found = errors.Join(found, errors.New("the last stage runs as root"))
	}
	return found
}
