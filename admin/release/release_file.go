package release

import (
	"context"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	releasedb "vitrine/internal/store/release"
)

// maxEditor is the largest file that can be read in one call, which is what the source editor
// accepts (document 3, section 8).
const maxEditor = 2 << 20

const octets = "application/octet-stream"

var errEditorSize = shop.Refuse(shop.InvalidArgument, "RELEASE_FILE_TOO_LARGE").When("the file has more than 2 MiB")

type releaseFilePath struct {
	releasePath
	Path string `query:"path" json:"-" len:"1000" spaces:"kept" doc:"the file's path in the release"`
}

// file returns the bytes of a file of any retained release. Whatever its type, it is served as
// text or bytes and in a sandbox, so that the author of a page cannot run scripts on the origin
// of the API.
func (h holderEndpoints) file(ctx context.Context, c *api.Call, in releaseFilePath) (api.Raw, error) {
	r := h.store.Shop(c.Company)
	d, err := h.found(ctx, r, in.ID)
	if err != nil {
		return api.Raw{}, err
	}
	if _, err := releasedb.GetRelease(ctx, r, d.ID, in.Release); err != nil {
		return api.Raw{}, err
	}
	f, err := releasedb.ManifestFile(ctx, r, in.Release, in.Path)
	if err != nil {
		return api.Raw{}, err
	}
	if f.Size > maxEditor {
		return api.Raw{}, errEditorSize.With(f.Path + " is larger than the source editor accepts")
	}
	body, err := h.blobs.ReadAll(ctx, f.SHA256, maxEditor)
	if err != nil {
		return api.Raw{}, err
	}
	c.SetHeader("Content-Security-Policy", "default-src 'none'; sandbox")
	return api.Raw{ContentType: typeOfSource(f), Body: body}, nil
}

func typeOfSource(f releasedb.ReleaseFile) string {
	kind, _, _ := strings.Cut(f.MIME, ";")
	if strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "json") || strings.HasSuffix(kind, "xml") {
		return "text/plain; charset=utf-8"
	}
	return octets
}
