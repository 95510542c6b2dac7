package media

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	mediadb "vitrine/internal/store/media"
)

// inert keeps an uploaded file from running anything on the origin of the API, such as the scripts
// of an SVG. Its own styles are part of the picture.
const inert = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"

// maxResizes is how many pictures of one shop are resized for its members at once; further ones
// wait, so that one shop's members leave the image service to others.
const maxResizes = 4

type imageRequest struct {
	ID    uuid.UUID `path:"id" json:"-"`
	Width *int      `query:"w" json:"-" doc:"width in pixels, 16 to 4096, at most that of the picture; without it the bytes as they are"`
	api.ShopInAddress
}

// image shows a file to the members of the shop, also while the storefront is closed. It is for
// pages of the admin origin, so it is safe there whatever the file contains: nothing runs, no
// other origin can embed it, and what is not a bitmap is a download when it is opened by itself.
func (m *Media) image(ctx context.Context, call *api.Call, in imageRequest) (out api.Raw, err error) {
	f, err := mediadb.GetFile(ctx, m.store.Shop(call.Company), in.ID)
	switch {
	case err != nil:
		return out, err
	case f.Status != mediadb.FileStored:
		return out, ErrNotStored.With("confirm the upload first")
	case in.Width == nil:
		return m.content(ctx, call, f)
	case !strings.HasPrefix(f.MIME, "image/"):
		return out, ErrNotImage.About("w").With("only pictures have widths; without w the file is sent as it is")
	case *in.Width < 0:
		return out, shop.ErrInvalidRequest.About("w").With("a width in pixels")
	}
	release, err := m.resizes.Acquire(ctx, call.Company)
	if err != nil {
		return out, err
	}
	defer release()
	resized, err := m.images.Resize(ctx, f.SHA256, *in.Width)
	if errors.Is(err, ErrNotImage) || errors.Is(err, ErrNoDecoder) || errors.Is(err, ErrImageBroken) || errors.Is(err, ErrImageTooLarge) {
		return m.content(ctx, call, f) // an SVG, or a picture that browsers may show all the same
	}
	if err != nil {
		return out, err
	}
	return shown(call, api.Raw{ContentType: "image/webp", Body: resized.Body, ETag: resized.ETag}), nil
}

// content sends the bytes of a file as the storefront serves them.
func (m *Media) content(ctx context.Context, call *api.Call, f mediadb.File) (out api.Raw, err error) {
	stream, size, err := m.blobs.Open(context.WithoutCancel(ctx), f.SHA256)
	if err != nil {
		return out, err
	}
	if kind, _, _ := strings.Cut(f.MIME, ";"); !strings.HasPrefix(kind, "image/") || strings.HasSuffix(kind, "xml") {
		call.SetAttachment(f.Name)
	}
	return shown(call, api.Raw{ContentType: f.MIME, Stream: stream, Length: int(size), ETag: `"` + f.SHA256[:32] + `"`}), nil
}

// shown sets what every response with bytes of the library has. Browsers ask again each time: the
// file may have new bytes, and the person may have left the shop.
func shown(call *api.Call, out api.Raw) api.Raw {
	call.SetHeader("Cross-Origin-Resource-Policy", "same-origin")
	out.MaxAge, out.Policy = api.Personal, inert
	return out
}
