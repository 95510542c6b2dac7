package main

import (
	"context"
	"os"

	"vitrine/cmd/vitrine/push"
)

// pushCmd is "vitrine push": the transfer tool (CONTRACT, "Command line").
type pushCmd struct {
	Dir          string `arg:"" type:"existingdir" help:"The folder to publish; it must contain an index.html."`
	To           string `required:"" help:"Target: page:/slug, doc:ID, site:SECTION_ID or theme:ID."`
	Admin        string `env:"VITRINE_ADMIN_URL" default:"http://127.0.0.1:8081" help:"Address of the admin API."`
	Key          string `env:"VITRINE_KEY" help:"API key with catalog:read, catalog:write and storage:write."`
	SEOOverwrite bool   `name:"seo-overwrite" help:"Replace the page's title and description by those of the document."`
	Bare         bool   `help:"Leave the shop's header and footer out of the page."`
	Menu         string `help:"Name of the page in the menu; default: the document's title."`
	NoMenu       bool   `help:"Leave the page out of the menu."`
	ShortTitle   bool   `help:"Use the document's title without the author's suffix, such as \" | Studio\"."`
	DryRun       bool   `help:"Print the findings of publishing, without a server."`
}

func (c *pushCmd) Run(ctx context.Context) error {
	return push.Run(ctx, push.Options{
		Dir: c.Dir, To: c.To, Admin: c.Admin, Key: c.Key, SEOOverwrite: c.SEOOverwrite,
		Frame:  push.Frame{Bare: c.Bare, Menu: c.Menu, NoMenu: c.NoMenu, ShortTitle: c.ShortTitle},
		DryRun: c.DryRun,
		Out:    os.Stdout, Log: os.Stderr, Terminal: isTerminal(os.Stderr),
	})
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
