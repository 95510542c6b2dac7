package source

import (
	"context"
	"encoding/json"

	"vitrine/edge"
	"vitrine/internal/catalogue"
	"vitrine/internal/shop"
	"vitrine/internal/store/media"
	"vitrine/internal/store/sitefile"
)

// Share returns a source that makes feeds from catalogues shared with other users in this
// process.
func (s *Source) Share(c *catalogue.Catalogues) *Source {
	shared := *s
	shared.catalogues = c
	return &shared
}

// SiteFile implements edge.Source.
func (s *Source) SiteFile(ctx context.Context, id shop.CompanyID, file shop.SiteFileID) (edge.SiteFile, error) {
	f, err := sitefile.Get(ctx, s.store.Shop(id), file)
	return edge.SiteFile{Name: f.Name, Body: f.Body, Version: f.Version}, notFound(err)
}

// Catalogue implements edge.Source.
func (s *Source) Catalogue(ctx context.Context, id shop.CompanyID) (edge.Catalogue, error) {
	c, err := s.catalogues.Current(ctx, s.store, id)
	if err != nil {
		return edge.Catalogue{}, notFound(err)
	}
	stored := func(path string) bool {
		_, err := media.FileByPath(ctx, s.store.Shop(id), path)
		return err == nil
	}
	return edge.Catalogue{Catalogue: c.Catalogue, Version: c.Version, Changed: c.Changed, Picture: c.Pictures(stored)}, nil
}

// RenderPlace implements edge.Source.
func (s *Source) RenderPlace(ctx context.Context, id shop.CompanyID) (func(), error) {
	return s.catalogues.Renders.Acquire(ctx, id)
}

// LastCopy implements edge.Source.
func (s *Source) LastCopy(ctx context.Context, id shop.CompanyID, file shop.SiteFileID, most int64) (*edge.FileCopy, error) {
	row, err := sitefile.Copy(ctx, s.store.Shop(id), file, most)
	if err != nil || row.Version == 0 {
		return nil, err
	}
	return &edge.FileCopy{
		Version: row.Version, ShopVersion: row.ShopVersion, At: row.At, Items: row.Items, Size: row.Size, Packed: row.Body,
	}, nil
}

// SaveBuild implements edge.Source.
func (s *Source) SaveBuild(ctx context.Context, id shop.CompanyID, file shop.SiteFileID, b edge.FileBuild) (err error) {
	row := sitefile.Build{
		State: string(b.State), At: b.At, Items: b.Items, Bytes: b.Bytes, Version: b.Version, ShopVersion: b.ShopVersion,
	}
	if row.Errors, err = problems(b.Errors); err != nil {
		return err
	}
	if row.Warnings, err = problems(b.Warnings); err != nil {
		return err
	}
	if b.Copy == nil {
		return sitefile.SaveBuild(ctx, s.store, id, file, row, nil)
	}
	return sitefile.SaveBuild(ctx, s.store, id, file, row, &sitefile.SiteFileCopy{
		Version: b.Copy.Version, ShopVersion: b.Copy.ShopVersion, At: b.Copy.At, Items: b.Copy.Items,
		Size: b.Copy.Size, Body: b.Copy.Packed,
	})
}

// problem is a problem of a build as the API shows it.
type problem struct {
	Line    int        `json:"line"`
	Message string     `json:"message"`
	Code    string     `json:"code"`
	Product shop.Int64 `json:"product_id"`
}

func problems(list []edge.BuildProblem) ([]byte, error) {
	rows := make([]problem, len(list))
	for i, p := range list {
		rows[i] = problem{Line: p.Line, Message: p.Message, Code: p.Code, Product: shop.Int64(p.Product)}
	}
	return json.Marshal(rows)
}
