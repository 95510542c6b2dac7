package form

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/url"
	"strings"
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

// What one network, and all with one form, send in an hour.
const (
	filesOfOne     = 30
	megabytesOfOne = 100
	filesAtOnce    = 600
	fileTime       = 15 * time.Minute // for the bytes of one
)

type fileRequest struct {
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop, for callers outside of its storefront"`
	Form      shop.FormID    `query:"form_id" json:"-"`
	Field     string         `query:"field" json:"-" len:"64" refuse:"FORM_VALUE_INVALID" doc:"the field of the kind file that it is for"`
	Name      string         `query:"name" json:"-" len:"1000" refuse:"FORM_VALUE_INVALID" doc:"what the file is called"`
}

type fileTaken struct {
	ID   uuid.UUID `json:"id" doc:"the value of the field in the lead"`
	Name string    `json:"name"`
	Type string    `json:"type"`
	Size int64     `json:"size"`
}

// takeFile keeps a file for a lead that is about to come. What it is decides its first
// bytes, not its name; nothing that a browser or a system would run is taken.
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
	// A slow line may take longer than the work of a call.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fileTime)
	defer cancel()
	body, err := c.File()
	if err != nil {
		return out, err
	}
	f := formdb.File{Form: in.Form, Field: in.Field, CreatedAt: fs.Now()}
	if f.ID, err = uuid.NewRandom(); err != nil {
		return out, err
	}
	room, err := fs.put(ctx, company, body, field, in.Name, &f)
	defer func() { room.Close(ctx) }() // also where it failed half-way
	if err != nil {
		return out, errors.Join(err, drain.Refused(body))
	}
	if err := fs.weighFile(company, c, f.Size); err != nil {
		return out, err
	}
	err = fs.Store.Write(ctx, company, func(tx *store.Tx) error {
		if err := formdb.AddFile(ctx, tx, f); err != nil {
			return err
		}
		return room.Keep(ctx, tx)
	})
	out.Result = fileTaken{f.ID, f.Name, f.MIME, f.Size}
	return out, err
}

// fileField is the field that a file is sent for.
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
	return nil, errors.Join(err, errLead.At("field").With("the form has no field of the kind file of this name").WithField("field", in.Field))
}

func (fs *Forms) admitFile(company shop.CompanyID, form shop.FormID, c *api.Call) error {
	if _, wait := fs.files.Take(fromFor{company, c.Network()}); wait > 0 {
		return shop.ErrRateLimited.With("30 files an hour from one address").RetryAfter(budget.Seconds(wait))
	}
	if _, wait := fs.flooded.Take(ofForm{company, form}); wait > 0 {
		return shop.ErrRateLimited.With("this form gets too many files").RetryAfter(budget.Seconds(wait))
	}
	return nil
}

// weighFile counts the megabytes of a network.
func (fs *Forms) weighFile(company shop.CompanyID, c *api.Call, size int64) error {
	for range (size + 1<<20 - 1) >> 20 {
		if _, wait := fs.bytes.Take(fromFor{company, c.Network()}); wait > 0 {
			return shop.ErrRateLimited.With("100 MB of files an hour from one address").RetryAfter(budget.Seconds(wait))
		}
	}
	return nil
}

// put keeps the bytes of a file in room that the shop has for them, and says what they are.
func (fs *Forms) put(ctx context.Context, company shop.CompanyID, body io.Reader, field *lead.Field, name string, f *formdb.File) (*intake.Reservation, error) {
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
	room, err := fs.Intake.ReserveUpTo(ctx, company, field.MaxSize())
	if err != nil {
		return room, err
	}
	reserved := room.Size()
	ref, err := room.Put(ctx, io.MultiReader(bytes.NewReader(head), body))
	switch {
	case errors.Is(err, blob.ErrTooLarge) && reserved < field.MaxSize():
		return room, media.ErrStorageLimit.With("the file does not fit into the room that is left")
	case errors.Is(err, blob.ErrTooLarge):
		return room, invalid(field, field.TooLarge())
	}
	f.SHA256, f.Size = ref.SHA256, ref.Size
	return room, err
}

type downloadRequest struct {
	ID   shop.LeadID `path:"id" json:"-"`
	File uuid.UUID   `path:"file_id" json:"-"`
}

// download answers a file of a lead so that no browser shows or runs it.
func (fs *Forms) download(ctx context.Context, c *api.Call, in downloadRequest) (out api.Raw, err error) {
	f, err := formdb.LeadFile(ctx, fs.Store.Shop(c.Company), in.ID, in.File)
	if err != nil {
		return out, err
	}
	out.ContentType = "application/octet-stream"
	if out.Body, err = fs.Blobs.ReadAll(ctx, f.SHA256, lead.MaxFile); err != nil {
		return out, err
	}
	c.SetHeader("Content-Disposition", disposition(f.Name))
	c.SetHeader("Content-Security-Policy", "sandbox")
	return out, nil
}

// disposition names a download: in ASCII for old programs, whole for the others (RFC
// 6266).
func disposition(name string) string {
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' || r == '%' {
			return '_'
		}
		return r
	}, name)
	return `attachment; filename="` + ascii + `"; filename*=UTF-8''` + strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
}
