package release

import (
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/compile/release"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	releasedb "vitrine/internal/store/release"
)

// Refusals of html documents for which the specification defines no code.
var (
	errDocumentName  = shop.Refuse(shop.InvalidArgument, "HTML_DOCUMENT_NAME_INVALID").When("name is missing or too long")
	errDocumentText  = shop.Refuse(shop.InvalidArgument, "HTML_DOCUMENT_DESCRIPTION_TOO_LONG").When("description is too long")
	errDocumentLevel = shop.Refuse(shop.InvalidArgument, "HTML_DOCUMENT_LEVEL_INVALID").When("level is not 3")
)

const (
	scriptLevel    = 3
	maxName        = 255 // characters
	maxDescription = 2000
)

type sourceView struct {
	URL string `json:"url"` // URL of the live index.html; empty before the first publish
}

type documentView struct {
	ID              shop.DocumentID `json:"id"`
	CompanyID       shop.CompanyID  `json:"company_id"`
	Name            string          `json:"name"`
	Description     string          `json:"description"`
	Level           int             `json:"level"`
	ActiveReleaseID shop.ReleaseID  `json:"active_release_id"` // 0 before the first publish
	Source          sourceView      `json:"source"`
	CreatedBy       shop.UserID     `json:"created_by"`
	CreatedAt       time.Time       `json:"created_at"`
	UpdatedAt       time.Time       `json:"updated_at"`
}

// viewDocument converts a document to a response; origin is the shop's origin.
func viewDocument(company shop.CompanyID, origin string, d releasedb.Document) documentView {
	v := documentView{
		ID: d.ID, CompanyID: company, Name: d.Name, Description: d.Description, Level: d.Level, ActiveReleaseID: d.Active,
		CreatedBy: d.CreatedBy, CreatedAt: d.CreatedAt.UTC(), UpdatedAt: d.UpdatedAt.UTC(),
	}
	if d.Active != 0 {
		v.Source.URL = origin + shop.ReleaseRoot(d.ID, d.Active) + release.Index
	}
	return v
}

// maxUses bounds the places that a response lists, and listedUses those of each document in a list.
const (
	maxUses    = 100
	listedUses = 3
)

type documentUse struct {
	Type shop.ResourceType `json:"type" doc:"shop: every page"`
	ID   shop.Int64        `json:"id"`
	Name string            `json:"name"`
}

// documentRow is a document in a list, with the first places that show it.
type documentRow struct {
	documentView
	UsedIn    []documentUse `json:"used_in" doc:"what shows it: 3 in a list, at most 100 of one document"`
	UsedTotal int           `json:"used_total"`
}

type documentDetails struct {
	documentRow
	Limits releaseLimits `json:"limits" doc:"of a release"`
}

func viewDocumentRow(v documentView, uses releasedb.DocumentUses) documentRow {
	row := documentRow{documentView: v, UsedIn: []documentUse{}, UsedTotal: uses.Total}
	for _, u := range uses.Places {
		row.UsedIn = append(row.UsedIn, documentUse{u.Type, shop.Int64(u.ID), u.Name})
	}
	return row
}

// origin returns the origin of a shop's storefront, without a trailing slash.
func (rs *Releases) origin(ctx context.Context, r store.Reader) (string, error) {
	company, err := company.Info(ctx, r)
	return rs.urls.Storefront(company), err
}

// documentItem holds the writable fields of a document. Content is changed only by releases
// (document 3, 2.3); the content fields exist to refuse it.
type documentItem struct {
	Name        *string `json:"name" required:"POST" len:"255" refuse:"HTML_DOCUMENT_NAME_INVALID"`
	Description *string `json:"description" len:"2000" refuse:"HTML_DOCUMENT_DESCRIPTION_TOO_LONG"`
	Level       *int    `json:"level"`

	HTML   json.RawMessage `json:"html" doc:"refused: content is changed by releases"`
	CSS    json.RawMessage `json:"css" doc:"refused: content is changed by releases"`
	JS     json.RawMessage `json:"js" doc:"refused: content is changed by releases"`
	Source json.RawMessage `json:"source" doc:"refused: content is changed by releases"`
	Files  json.RawMessage `json:"files" doc:"refused: content is changed by releases"`
}

func (i documentItem) apply(d *releasedb.Document) error {
	for _, content := range []json.RawMessage{i.HTML, i.CSS, i.JS, i.Source, i.Files} {
		if content != nil {
			return release.ErrUseRelease.With("only name and description can be edited; content is changed with POST /html-documents/{id}/releases")
		}
	}
	if i.Name != nil {
		d.Name = strings.TrimSpace(*i.Name)
	}
	if i.Description != nil {
		d.Description = *i.Description
	}
	if n := utf8.RuneCountInString(d.Name); n < 1 || n > maxName {
		return errDocumentName.At("name").With("1 to 255 characters")
	}
	if utf8.RuneCountInString(d.Description) > maxDescription {
		return errDocumentText.At("description").With("at most 2000 characters")
	}
	if i.Level != nil && *i.Level != scriptLevel {
		return errDocumentLevel.At("level").With("only level 3 is supported")
	}
	return nil
}

func (rs *Releases) documents(ctx context.Context, c *api.Call, _ api.None) (api.Result[[]documentRow], error) {
	views := []documentRow{}
	r := rs.store.Shop(c.Company)
	rows, err := releasedb.Documents(ctx, r, shop.HTMLDocument)
	if err != nil {
		return api.Wrap(views), err
	}
	uses, err := releasedb.UsesOfDocuments(ctx, r, 0, listedUses)
	if err != nil {
		return api.Wrap(views), err
	}
	origin, err := rs.origin(ctx, r)
	for _, d := range rows {
		views = append(views, viewDocumentRow(viewDocument(c.Company, origin, d), uses[d.ID]))
	}
	return api.Wrap(views), err
}

type documentPath struct {
	ID shop.DocumentID `path:"id" json:"-"`
}

func (rs *Releases) document(ctx context.Context, c *api.Call, in documentPath) (api.Result[documentDetails], error) {
	r := rs.store.Shop(c.Company)
	d, err := releasedb.GetDocument(ctx, r, shop.HTMLDocument, in.ID)
	if err != nil {
		return api.Result[documentDetails]{}, err
	}
	origin, err := rs.origin(ctx, r)
	if err != nil {
		return api.Result[documentDetails]{}, err
	}
	uses, err := releasedb.UsesOfDocuments(ctx, r, d.ID, maxUses)
	return api.Wrap(documentDetails{viewDocumentRow(viewDocument(c.Company, origin, d), uses[d.ID]), viewLimits(d.Kind)}), err
}

func (rs *Releases) answerDocument(ctx context.Context, r store.Reader, d releasedb.Document) (api.Result[documentView], error) {
	origin, err := rs.origin(ctx, r)
	return api.Wrap(viewDocument(r.Company, origin, d)), err
}

type documentRequest struct {
	Item documentItem `json:"item" required:"always"`
}

func (rs *Releases) createDocument(ctx context.Context, c *api.Call, in documentRequest) (api.Result[documentView], error) {
	d := releasedb.Document{Kind: shop.HTMLDocument, Level: scriptLevel, CreatedBy: c.Person}
	if err := in.Item.apply(&d); err != nil {
		return api.Result[documentView]{}, err
	}
	if err := rs.store.Write(ctx, c.Company, func(tx *store.Tx) error { return releasedb.InsertDocument(ctx, tx, &d) }); err != nil {
		return api.Result[documentView]{}, err
	}
	return rs.answerDocument(ctx, rs.store.Shop(c.Company), d)
}

type updateDocument struct {
	ID shop.DocumentID `path:"id" json:"-"`
	api.Basis
	Item documentItem `json:"item"`
}

func (rs *Releases) updateDocument(ctx context.Context, c *api.Call, in updateDocument) (api.Result[documentView], error) {
	var d releasedb.Document
	err := rs.store.Write(ctx, c.Company, func(tx *store.Tx) (err error) {
		if d, err = releasedb.LockDocument(ctx, tx, shop.HTMLDocument, in.ID); err != nil {
			return err
		}
		if err := tx.CheckBasis(d.UpdatedAt); err != nil {
			return err
		}
		if err := in.Item.apply(&d); err != nil {
			return err
		}
		if err := releasedb.UpdateDocument(ctx, tx, d); err != nil {
			return err
		}
		d, err = releasedb.GetDocument(ctx, tx.Reader, shop.HTMLDocument, in.ID)
		return err
	})
	if err != nil {
		return api.Result[documentView]{}, err
	}
	return rs.answerDocument(ctx, rs.store.Shop(c.Company), d)
}

func (rs *Releases) deleteDocument(ctx context.Context, c *api.Call, in documentPath) (api.None, error) {
	return api.None{}, rs.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if _, err := releasedb.LockDocument(ctx, tx, shop.HTMLDocument, in.ID); err != nil {
			return err
		}
		return releasedb.DeleteDocument(ctx, tx, in.ID)
	})
}
