package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	redirects "vitrine/admin/redirect"
	"vitrine/internal/load"
	companydb "vitrine/internal/store/company"
)

type redirectsCmd struct {
	Import redirectsImportCmd `cmd:"" help:"Import redirect rules of another system into a shop."`
}

type redirectsImportCmd struct {
	File          string `arg:"" help:"_redirects, nginx configuration, .htaccess or CSV; - reads standard input."`
	Format        string `enum:"netlify,nginx,htaccess,csv,auto" default:"auto" help:"netlify, nginx, htaccess or csv; auto chooses by the file name."`
	Shop          string `required:"" help:"Slug of the shop."`
	AllowExternal bool   `help:"Accept rules whose targets are on other hosts."`
	DryRun        bool   `help:"Report and write nothing."`
}

// maxRulesFile is the maximum size of a rules file in bytes: twenty thousand long lines.
const maxRulesFile = 32 << 20

// Run imports the file.
func (c *redirectsImportCmd) Run(ctx context.Context, s *Settings) error {
	text, err := c.read()
	if err != nil {
		return err
	}
	return operate(ctx, s, func(o *operator) (any, error) {
		company, err := companydb.CompanyBySlug(ctx, o.db.Store, c.Shop)
		if err != nil {
			return nil, err
		}
		t, err := redirects.Translate(text, c.format(), o.hosts.Hosts(company.Slug, company.Domain), c.AllowExternal)
		if err != nil {
			return nil, err
		}
		rules := redirects.New(redirects.Config{Store: o.db.Store, Hosts: o.hosts, Sites: load.NewSites(o.hosts, time.Now)})
		report, version, err := rules.ImportFile(ctx, company.ID, t.Lines, c.DryRun)
		rows, refused := t.Beside(report.Rows)
		return map[string]any{
			"company_id": company.ID, "format": c.format(), "dry_run": c.DryRun, "rows": rows, "version": version,
			"created": report.Created, "updated": report.Updated, "skipped": report.Skipped, "errors": report.Errors + refused,
		}, err
	})
}

func (c *redirectsImportCmd) read() (string, error) {
	in := io.Reader(os.Stdin)
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxRulesFile+1))
	if err == nil && len(text) > maxRulesFile {
		err = fmt.Errorf("%s is larger than %d MB", c.File, maxRulesFile>>20)
	}
	return string(text), err
}

// format is the format of the file, chosen by its name if not specified.
func (c *redirectsImportCmd) format() string {
	name := strings.ToLower(filepath.Base(c.File))
	switch {
	case c.Format != "auto":
		return c.Format
	case strings.HasSuffix(name, "_redirects"):
		return "netlify"
	case strings.HasSuffix(name, ".htaccess"):
		return "htaccess"
	case strings.HasSuffix(name, ".conf"), strings.HasSuffix(name, ".map"):
		return "nginx"
	}
	return "csv"
}
