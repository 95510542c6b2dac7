package sitefile

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/compile/feed"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sitefile"
)

// siteFileView is a site file in responses (document 3, 2.5), always without a wrapper.
type siteFileView struct {
	ID          shop.SiteFileID `json:"id"`
	CategoryID  shop.CategoryID `json:"category_id"`
	Name        string          `json:"name"`
	Path        string          `json:"path" doc:"path on the storefront host; empty for an orphan"`
	URL         string          `json:"url"`
	ContentType string          `json:"content_type"`
	Size        shop.Int64      `json:"size"`
	IsPublished bool            `json:"is_published"`
	InSitemap   bool            `json:"in_sitemap"`
	Orphaned    bool            `json:"orphaned" doc:"the section was deleted: the file returns 404 until it is moved"`
	RowVersion  shop.Int64      `json:"row_version"`
	CreatedAt   time.Time       `json:"created_at"`
	UpdatedAt   time.Time       `json:"updated_at"`
	LastBuild   *buildView      `json:"last_build" doc:"the result of the latest build for visitors; null before the first"`
}

// fullFileView includes the body.
type fullFileView struct {
	siteFileView
	Body string `json:"body"`
}

// buildView is the result of a build. kept: the output was suspicious, so the last good copy is
// still served; failed: there was no output.
type buildView struct {
	State    sitefile.BuildState `json:"state"`
	At       time.Time           `json:"at"`
	Items    int                 `json:"items" doc:"distinct products"`
	Bytes    shop.Int64          `json:"bytes"`
	Errors   []fileProblem       `json:"errors"`
	Warnings []fileWarning       `json:"warnings" doc:"what the marketplace that reads the feed would refuse"`
}

func viewFile(f sitefile.SiteFile, tree *compile.Site) (siteFileView, error) {
	v := siteFileView{
		ID: f.ID, CategoryID: f.Category, Name: f.Name, ContentType: feed.ContentType(f.Name, f.Body), Size: shop.Int64(f.Size),
		IsPublished: f.IsPublished, InSitemap: f.InSitemap, Orphaned: tree.Orphaned(f.Category), RowVersion: shop.Int64(f.Version),
		CreatedAt: f.CreatedAt.UTC(), UpdatedAt: f.UpdatedAt.UTC(), Path: tree.FileURL(f.Category, f.Name),
	}
	if v.Path != "" {
		v.URL = tree.Shop().Origin + v.Path
	}
	b := f.LastBuild
	if b == nil {
		return v, nil
	}
	v.LastBuild = &buildView{State: sitefile.BuildState(b.State), At: b.At.UTC(), Items: b.Items, Bytes: shop.Int64(b.Bytes)}
	return v, errors.Join(json.Unmarshal(b.Errors, &v.LastBuild.Errors), json.Unmarshal(b.Warnings, &v.LastBuild.Warnings))
}

func viewFull(f sitefile.SiteFile, tree *compile.Site) (fullFileView, error) {
	v, err := viewFile(f, tree)
	return fullFileView{v, f.Body}, err
}

type siteFilesRequest struct {
	CategoryID *shop.Int64 `query:"category_id" json:"-" doc:"0: only the root; another id: only that section; absent: all files"`
	Text       string      `query:"q" json:"-" doc:"part of the name or of the full path, at most 200 characters" len:"200" refuse:"INVALID_REQUEST"`
}

const maxFileQuery = 200 // characters of q

type siteFileList struct {
	Items []siteFileView `json:"items"`
}

// siteFiles lists files by section, then by name.
func (s *SiteFiles) siteFiles(ctx context.Context, c *api.Call, in siteFilesRequest) (out siteFileList, err error) {
	if in.CategoryID != nil && *in.CategoryID < 0 {
		return out, shop.ErrInvalidRequest.At("category_id").With("0 or the id of a section")
	}
	if utf8.RuneCountInString(in.Text) > maxFileQuery {
		return out, shop.ErrInvalidRequest.At("q").With("at most 200 characters")
	}
	out.Items = []siteFileView{}
	err = s.store.Snapshot(ctx, c.Company, func(r store.Reader) error {
		tree, err := load.Tree(ctx, r, s.hosts)
		if err != nil {
			return err
		}
		rows, err := sitefile.List(ctx, r)
		for _, f := range rows {
			v, broken := viewFile(f, tree)
			err = errors.Join(err, broken)
			if (in.CategoryID == nil || int64(*in.CategoryID) == int64(f.Category)) && v.matches(in.Text) {
				out.Items = append(out.Items, v)
			}
		}
		return err
	})
	return out, err
}

// matches searches for a text in the name and the full path, ignoring case.
func (v siteFileView) matches(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(strings.ToLower(v.Name), text) || strings.Contains(strings.ToLower(v.Path), text)
}

type siteFileID struct {
	ID shop.SiteFileID `path:"id" json:"-"`
}

func (s *SiteFiles) siteFile(ctx context.Context, c *api.Call, in siteFileID) (out fullFileView, err error) {
	err = s.store.Snapshot(ctx, c.Company, func(r store.Reader) error {
		row, err := sitefile.Get(ctx, r, in.ID)
		if err != nil {
			return err
		}
		tree, err := load.Tree(ctx, r, s.hosts)
		if err == nil {
			out, err = viewFull(row, tree)
		}
		return err
	})
	return out, err
}

type siteFileSeed struct {
	Key  string `json:"key"`
	Name string `json:"name"`
	Path string `json:"path"`
	Body string `json:"body"`
}

type siteFileSeeds struct {
	Items []siteFileSeed `json:"items"`
}

// siteFileTemplates lists templates for new files.
func (s *SiteFiles) siteFileTemplates(context.Context, *api.Call, api.None) (out siteFileSeeds, err error) {
	for _, seed := range feed.Seeds() {
		out.Items = append(out.Items, siteFileSeed{Key: seed.Key, Name: seed.Name, Path: seed.Path, Body: seed.Body})
	}
	return out, nil
}
