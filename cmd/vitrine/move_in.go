package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"vitrine/admin"
	"vitrine/admin/api"
	"vitrine/admin/movein"
	"vitrine/internal/shop"
	companydb "vitrine/internal/store/company"
)

type moveInCmd struct {
	Files  []string          `arg:"" type:"existingfile" help:"Files of one system: CSV, XML or JSON."`
	Shop   string            `required:"" help:"Slug of the shop."`
	DryRun bool              `help:"Show the plan and write nothing."`
	Choose map[string]string `help:"Answers to the plan's questions: --choose key=value" mapsep:"none"`
}

// Run imports the files as the owner of the shop. A server of the installation fetches the pictures.
func (c *moveInCmd) Run(ctx context.Context, s *Settings) error {
	return operate(ctx, s, func(o *operator) (any, error) {
		company, err := companydb.CompanyBySlug(ctx, o.db.Store, c.Shop)
		if err != nil {
			return nil, err
		}
		owner, err := o.personOf(ctx, company, shop.Owner)
		if err != nil {
			return nil, err
		}
		blobs, err := o.files()
		if err != nil {
			return nil, err
		}
		sealer, err := s.sealer()
		if err != nil {
			return nil, err
		}
		urls := api.URLs{Admin: s.adminURL(), Storefront: func(c companydb.Company) string { return o.hosts.Origin(c.Slug, c.Domain) }}
		calls, err := admin.New(admin.Config{Store: o.db.Store, Blobs: blobs, Log: s.quietLogger(), Now: time.Now, Sealer: sealer, Hosts: o.hosts, URLs: urls})
		if err != nil {
			return nil, err
		}
		answer, err := calls.MoveIn(ctx, movein.Operator{Company: company.ID, Person: owner, Files: c.Files, Choices: c.Choose, DryRun: c.DryRun})
		if err == nil {
			err = showPlan(answer)
		}
		return answer, err
	})
}

// showPlan prints a plan for people on stderr; programs read stdout.
func showPlan(answer any) error {
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	var p struct {
		System string         `json:"system"`
		Counts map[string]int `json:"counts"`
		Losses []struct {
			What    string `json:"what"`
			Count   int    `json:"count"`
			Example string `json:"example"`
		} `json:"losses"`
		Questions []struct {
			Key    string `json:"key"`
			Text   string `json:"text"`
			Chosen string `json:"chosen"`
		} `json:"questions"`
		Result json.RawMessage `json:"result"` // of a job
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	if p.Result != nil {
		if err := json.Unmarshal(p.Result, &p); err != nil {
			return err
		}
	}
	w := tabwriter.NewWriter(os.Stderr, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\n", p.System)
	for _, name := range []string{"sections", "products", "variants", "pictures", "customers", "articles", "pages", "redirects"} {
		if p.Counts[name] > 0 {
			fmt.Fprintf(w, "  %s\t%d\n", name, p.Counts[name])
		}
	}
	for _, l := range p.Losses {
		fmt.Fprintf(w, "  lost: %s\t%d\t%s\n", l.What, l.Count, l.Example)
	}
	for _, q := range p.Questions {
		fmt.Fprintf(w, "  --choose %s=%s\t\t%s\n", q.Key, q.Chosen, q.Text)
	}
	return w.Flush()
}
