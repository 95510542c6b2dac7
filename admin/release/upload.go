package release

import (
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/intake"
	"vitrine/compile/release"
	"vitrine/internal/blob"
	"vitrine/internal/drain"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	releasedb "vitrine/internal/store/release"
)

// Refusals of uploads. A mismatch has the code that the report of a release would use for it
// (document 3, section 7).
var (
	errUploadUnknown  = shop.Refuse(shop.NotFound, "UPLOAD_NOT_FOUND").When("the URL belongs to no pending upload")
	errUploadMismatch = shop.Refuse(shop.InvalidArgument, release.HashMismatch).When("the bytes differ from the announced ones")
)

const (
	// uploadLifetime is how long the upload URLs of a release are valid.
	uploadLifetime = 24 * time.Hour
	// receiveTimeout aborts endless bodies; the listener aborts stalled ones. The largest archive
	// takes this long at 5 KB/s.
	receiveTimeout = 6 * time.Hour
)

type uploadPath struct {
	Token string `path:"token" json:"-"`
}

type uploaded struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// upload stores the bytes of one file of a pending release, if they match the announced hash.
// Repeating the PUT has no effect.
func (rs *Releases) upload(ctx context.Context, c *api.Call, in uploadPath) (uploaded, error) {
	gone := errUploadUnknown.With("the URL is unknown or has expired; announce the release again")
	if !secret.WellFormed(in.Token, secret.Upload) {
		return uploaded{}, gone
	}
	f, found, err := releasedb.PendingUpload(ctx, rs.store, secret.Hash(in.Token))
	if err != nil {
		return uploaded{}, err
	}
	if !found || rs.now().Sub(f.Since) > uploadLifetime {
		return uploaded{}, gone
	}
	// A release counts as one call, whatever the number of its files; uploading a file again
	// counts separately.
	if !f.Pending {
		if err := c.Count(ctx, f.Company); err != nil {
			return uploaded{}, err
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), receiveTimeout)
	defer cancel()
	reservation, err := rs.intake.Reserve(ctx, f.Company, blob.Ref{SHA256: f.SHA256, Size: f.Size})
	if err != nil {
		return uploaded{}, err
	}
	defer reservation.Close(ctx)
	if err := rs.receive(ctx, c, reservation, f); err != nil {
		return uploaded{}, err
	}
	err = rs.store.Write(ctx, f.Company, func(tx *store.Tx) error {
		if err := releasedb.MarkReleaseFileUploaded(ctx, tx, f); err != nil {
			return err
		}
		return reservation.Keep(ctx, tx)
	})
	return uploaded{f.Path, f.SHA256, f.Size}, err
}

// receive stores the body of a call in its storage reservation.
func (rs *Releases) receive(ctx context.Context, c *api.Call, reservation *intake.Reservation, f releasedb.PendingFile) error {
	body, size := c.Body()
	if size >= 0 && size != f.Size {
		return drainAndRefuse(body, mismatch(f, blob.ErrSizeMismatch))
	}
	client := &clientReader{from: body}
	err := reservation.PutExpect(ctx, client, f.SHA256, f.Size)
	switch {
	case errors.Is(err, blob.ErrSizeMismatch), errors.Is(err, blob.ErrHashMismatch):
		return drainAndRefuse(body, mismatch(f, err))
	case err != nil && client.failed:
		return errCutOff
	}
	return err
}

func mismatch(f releasedb.PendingFile, err error) error {
	why := "the bytes do not have the announced sha256; send the unchanged file, or announce a new release"
	if errors.Is(err, blob.ErrSizeMismatch) {
		why = "the release announced " + strconv.FormatInt(f.Size, 10) +
			" bytes, but the body has a different size; send the unchanged file, or announce a new release"
	}
	return errUploadMismatch.With(f.Path+": "+why).WithField("path", f.Path).WithField("sha256", f.SHA256).WithField("size", f.Size)
}

// drainAndRefuse returns the refusal of a body after draining the rest of it.
func drainAndRefuse(body io.Reader, refusal error) error {
	if err := drain.Refused(body); err != nil {
		return errCutOff
	}
	return refusal
}

var errCutOff = shop.ErrInvalidRequest.With("the body ended early")

// clientReader distinguishes failures of the sender from those of the disk: the former are
// refusals.
type clientReader struct {
	from   io.Reader
	failed bool
	err    error
}

func (r *clientReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if err != nil && err != io.EOF {
		r.failed, r.err = true, err
	}
	return n, err
}
