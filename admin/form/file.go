package form

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/admin/intake"
	"vitrine/compile/lead"
	"vitrine/internal/blob"
	"vitrine/internal/budget"
	"vitrine/internal/drain"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	formdb "vitrine/internal/store/form"
	"vitrine/internal/store/media"
)

// Hourly limits of uploads, per network and per form.
const (
	filesPerNetwork     = 30
	megabytesPerNetwork = 100
	filesPerForm        = 600
	uploadTimeout       = 15 * time.Minute // for the upload of one file
)

type fileRequest struct {
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop, for callers outside its storefront"`
	Form      shop.FormID    `query:"form_id" json:"-"`
	Field     string         `query:"field" json:"-" len:"64" refuse:"FORM_VALUE_INVALID" doc:"the field of type file that the upload is for"`
	Name      string         `query:"name" json:"-" len:"1000" refuse:"FORM_VALUE_INVALID" doc:"the name of the file"`
}

type fileTaken struct {
	ID   uuid.UUID `json:"id" doc:"to be sent as the value of the field in the lead"`
	Name string    `json:"name"`
	Type string    `json:"type"`
	Size int64     `json:"size"`
}

// takeFile stores a file for a lead that will be sent later. Its first bytes decide its type, not
// its name; files that a browser or an operating system would execute are refused.
func (fs *Forms) takeFile(ctx context.Context, c *api.Call, in fileRequest) (out api.Result[fileTaken], err error) {
	company, err := c.Tenant(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return out, err
	}
	field, err := fs.fileField(ctx, company, in)
	if err != nil {
		return out, err
	}
	if err := fs.admitFile(company, in.Form, c); err != nil {
		return out, err
	}
	// An upload on a slow connection may take longer than a call is allowed to.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), uploadTimeout)
	defer cancel()
	body, err := c.File()
	if err != nil {
		return out, err
	}
	f := formdb.File{Form: in.Form, Field: in.Field, CreatedAt: fs.Now()}
	if f.ID, err = uuid.NewRandom(); err != nil {
		return out, err
	}
	reservation, err := fs.storeFile(ctx, company, body, field, in.Name, &f)
	defer func() { reservation.Close(ctx) }() // also after a partial failure
	if err != nil {
		return out, errors.Join(err, drain.Refused(body))
	}
	if err := fs.countMegabytes(company, c, f.Size); err != nil {
		return out, err
	}
	err = fs.Store.Write(ctx, company, func(tx *store.Tx) error {
		if err := formdb.AddFile(ctx, tx, f); err != nil {
			return err
		}
		return reservation.Keep(ctx, tx)
	})
	out.Result = fileTaken{f.ID, f.Name, f.MIME, f.Size}
	return out, err
}

// fileField returns the field that a file is uploaded for.
func (fs *Forms) fileField(ctx context.Context, company shop.CompanyID, in fileRequest) (*lead.Field, error) {
	form, err := formdb.Get(ctx, fs.Store.Shop(company), in.Form)
	if err != nil {
		return nil, err
	}
	fields, err := lead.Parse(form.Fields)
	for i := range fields {
		if fields[i].Name == in.Field && fields[i].Type == lead.File {
			return &fields[i], err
		}
	}
	return nil, errors.Join(err, errLead.At("field").With("the form has no field of type file with this name").WithField("field", in.Field))
}

func (fs *Forms) admitFile(company shop.CompanyID, form shop.FormID, c *api.Call) error {
	if _, wait := fs.fileBudgets.Take(networkKey{company, c.Network()}); wait > 0 {
		return shop.ErrRateLimited.With("at most 30 files an hour from one address").RetryAfter(budget.Seconds(wait))
	}
	if _, wait := fs.formFileBudgets.Take(formKey{company, form}); wait > 0 {
		return shop.ErrRateLimited.With("this form receives too many files").RetryAfter(budget.Seconds(wait))
	}
	return nil
}

// countMegabytes counts the megabytes sent by a network.
func (fs *Forms) countMegabytes(company shop.CompanyID, c *api.Call, size int64) error {
	for range (size + 1<<20 - 1) >> 20 {
		if _, wait := fs.megabyteBudgets.Take(networkKey{company, c.Network()}); wait > 0 {
			return shop.ErrRateLimited.With("at most 100 MB of files an hour from one address").RetryAfter(budget.Seconds(wait))
		}
	}
	return nil
}

// storeFile stores the bytes of a file in a storage reservation of the shop, and sets their type,
// name, hash and size in f.
func (fs *Forms) storeFile(ctx context.Context, company shop.CompanyID, body io.Reader, field *lead.Field, name string, f *formdb.File) (*intake.Reservation, error) {
	head := make([]byte, lead.Sniffed)
	n, err := io.ReadFull(body, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, shop.ErrInvalidRequest.With("the body ended early")
	}
	head = head[:n]
	var ok bool
	if f.MIME, f.Name, ok = lead.ReadFile(head, name); !ok || n == 0 {
		return nil, invalid(field, lead.Refused{Field: field.Name, Rule: lead.Type})
	}
	reservation, err := fs.Intake.ReserveUpTo(ctx, company, field.MaxSize())
	if err != nil {
		return reservation, err
	}
	reserved := reservation.Size()
	ref, err := reservation.Put(ctx, io.MultiReader(bytes.NewReader(head), body))
	switch {
	case errors.Is(err, blob.ErrTooLarge) && reserved < field.MaxSize():
		return reservation, media.ErrStorageLimit.With("the storage that is left is too small for the file")
	case errors.Is(err, blob.ErrTooLarge):
		return reservation, invalid(field, field.TooLarge())
	}
	f.SHA256, f.Size = ref.SHA256, ref.Size
	return reservation, err
}

type downloadRequest struct {
	ID   shop.LeadID `path:"id" json:"-"`
	File uuid.UUID   `path:"file_id" json:"-"`
}

// download sends a file of a lead in a way that keeps browsers from displaying or running it.
func (fs *Forms) download(ctx context.Context, c *api.Call, in downloadRequest) (out api.Raw, err error) {
	f, err := formdb.LeadFile(ctx, fs.Store.Shop(c.Company), in.ID, in.File)
	if err != nil {
		return out, err
	}
	out.ContentType = "application/octet-stream"
	if out.Body, err = fs.Blobs.ReadAll(ctx, f.SHA256, lead.MaxFile); err != nil {
		return out, err
	}
	c.SetAttachment(f.Name)
	c.SetHeader("Content-Security-Policy", "sandbox")
	return out, nil
}
