package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"vitrine/internal/backup"
	"vitrine/internal/blob"
	companydb "vitrine/internal/store/company"
)

type shopExportCmd struct {
	Shop string `required:"" help:"Slug of the shop."`
	To   string `required:"" type:"path" help:"The zip file to write; it must not exist yet."`
}

// Run writes the whole shop into a file, which appears only once it is complete.
func (c *shopExportCmd) Run(ctx context.Context, s *Settings) error {
	return operate(ctx, s, func(o *operator) (any, error) {
		company, err := companydb.CompanyBySlug(ctx, o.db.Store, c.Shop)
		if err != nil {
			return nil, err
		}
		blobs, err := o.files()
		if err != nil {
			return nil, err
		}
		if _, err := os.Lstat(c.To); err == nil {
			return nil, fmt.Errorf("%s exists already", c.To)
		}
		part := c.To + ".part"
		f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) // it contains personal data
		if err != nil {
			return nil, err
		}
		report, err := backup.Export(ctx, o.db.Store, blobs, company, f, nil)
		if err == nil {
			err = f.Sync()
		}
		if err = errors.Join(err, f.Close()); err == nil {
			err = os.Rename(part, c.To)
		}
		if err != nil {
			return nil, errors.Join(err, os.Remove(part))
		}
		return map[string]any{"company_id": company.ID, "slug": company.Slug, "file": c.To, "exported": report}, nil
	})
}

type shopImportCmd struct {
	From string `required:"" type:"existingfile" help:"A file written by shop export."`
	Slug string `help:"First label of the new shop's host; empty: that of the exported shop."`
}

// Run creates a shop from the file.
func (c *shopImportCmd) Run(ctx context.Context, s *Settings) error {
	return operate(ctx, s, func(o *operator) (any, error) {
		blobs, err := o.files()
		if err != nil {
			return nil, err
		}
		f, err := os.Open(c.From)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		id, report, err := backup.Import(ctx, o.db.Store, blobs, f, info.Size(), c.Slug)
		if err != nil {
			return nil, err
		}
		company, err := companydb.Info(ctx, o.db.Shop(id))
		answer := o.place(company)
		answer["imported"] = report
		return answer, err
	})
}

func openBlobs(s *Settings) (blob.Store, error) {
	url, err := s.blobURL()
	if err != nil {
		return nil, err
	}
	return blob.Open(url)
}
