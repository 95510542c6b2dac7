package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	redirects "vitrine/admin/redirect"
	"vitrine/compile/movein/header"
	"vitrine/compile/redirect"
	"vitrine/compile/redirect/foreign"
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

// importedLine is the outcome of a line of the file. A line that cannot be expressed as rules
// has the translator's reason, and no from and to.
type importedLine struct {
	redirects.ImportRow
	Text    string          `json:"text,omitempty"`    // of a line of another system, verbatim
	Detail  string          `json:"detail,omitempty"`  // for people
	Warning foreign.Warning `json:"warning,omitempty"` // how the rule differs from its line
}

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
		lines, notes, err := c.parse(text, foreign.Site{Hosts: o.hosts.Hosts(company.Slug, company.Domain)})
		if err != nil {
			return nil, err
		}
		rules := redirects.New(redirects.Config{Store: o.db.Store, Hosts: o.hosts, Sites: load.NewSites(o.hosts, time.Now)})
		report, version, err := rules.ImportFile(ctx, company.ID, lines, c.DryRun)
		rows, refused := notes.beside(report.Rows)
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

// parse reads the lines and the translator's notes on them.
func (c *redirectsImportCmd) parse(text string, shop foreign.Site) ([]redirect.Row, translation, error) {
	format := foreign.Format(c.format())
	switch format {
	case "csv":
		if err := header.Foreign(text, header.File{System: header.Shopify, Content: header.Redirects}); err != nil {
			return nil, translation{}, err
		}
		return redirect.ParseFile(text, c.AllowExternal), translation{}, nil
	case "htaccess":
		format = foreign.Apache
	}
	var t translation
	var err error
	t.rows, err = foreign.Parse(format, text, shop)
	lines, seen := []redirect.Row{}, map[string]bool{}
	for i, row := range t.rows {
		for _, rule := range row.Rules {
			line := redirect.Row{Line: row.Line, From: rule.From, To: rule.To, Rule: rule}
			switch key := rule.DuplicateKey(); {
			case rule.External && !c.AllowExternal:
				line.Reason = redirect.ExternalNotAllowed
			case seen[key]:
				line.Reason = redirect.DuplicateInFile
			default:
				seen[key] = true
			}
			lines, t.of = append(lines, line), append(t.of, i)
		}
	}
	return lines, t, err
}

// translation is the translated lines of another system.
type translation struct {
	rows []foreign.Row
	of   []int // for each imported line the index of its row; empty for CSV
}

// beside merges the notes of the translator into the rows of an import, and adds the lines it
// refused.
func (t translation) beside(rows []redirects.ImportRow) (lines []importedLine, refused int) {
	lines = []importedLine{}
	for _, row := range t.rows {
		if len(row.Rules) == 0 {
			refused++
			lines = append(lines, importedLine{
				ImportRow: redirects.ImportRow{Line: row.Line, Status: redirect.StatusError, Reason: redirect.Reason(row.Reason)},
				Text:      row.Text, Detail: row.Detail,
			})
		}
	}
	for i, row := range rows {
		line := importedLine{ImportRow: row}
		if len(t.of) > 0 {
			from := t.rows[t.of[i]]
			line.Text, line.Detail, line.Warning = from.Text, from.Detail, from.Warning
		}
		lines = append(lines, line)
	}
	slices.SortStableFunc(lines, func(a, b importedLine) int { return cmp.Compare(a.Line, b.Line) })
	return lines, refused
}
