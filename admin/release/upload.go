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

// Refusals of uploads. A mismatch carries the code that the report of a release
// would give it (document 3, section 7).
var (
	errUploadUnknown  = shop.Refuse(shop.NotFound, "UPLOAD_NOT_FOUND").When("the address belongs to no upload that waits")
	errUploadMismatch = shop.Refuse(shop.InvalidArgument, release.HashMismatch).When("the bytes are not those that were announced")
)

const (
	// uploadLifetime is how long the addresses of a release take bytes.
	uploadLifetime = 24 * time.Hour
	// receiveTimeout ends a body that would never end; the listener ends those
	// that do not get on. The largest archive takes so long at 5 KB/s.
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

// upload stores the bytes of one file of a pending release, if they are the
// announced ones. The same PUT again changes nothing.
func (rs *Releases) upload(ctx context.Context, c *api.Call, in uploadPath) (uploaded, error) {
	gone := errUploadUnknown.With("the address is unknown or its day is over; announce the release again")
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
	// A release was counted as one call, whatever the number of its files; sending
	// a file again is counted by itself.
	if !f.Pending {
		if err := c.Count(f.Company); err != nil {
			return uploaded{}, err
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), receiveTimeout)
	defer cancel()
	room, err := rs.intake.Reserve(ctx, f.Company, blob.Ref{SHA256: f.SHA256, Size: f.Size})
	if err != nil {
		return uploaded{}, err
	}
	defer room.Close(ctx)
	if err := rs.receive(ctx, c, room, f); err != nil {
		return uploaded{}, err
	}
	err = rs.store.Write(ctx, f.Company, func(tx *store.Tx) error {
		if err := releasedb.FileArrived(ctx, tx, f); err != nil {
			return err
		}
		return room.Keep(ctx, tx)
	})
	return uploaded{f.Path, f.SHA256, f.Size}, err
}

// receive keeps the bytes of a call in the room that was made for them.
func (rs *Releases) receive(ctx context.Context, c *api.Call, room *intake.Reservation, f releasedb.PendingFile) error {
	body, size := c.Body()
	if size >= 0 && size != f.Size {
		return heardOut(body, mismatch(f, blob.ErrSizeMismatch))
	}
	client := &clientReader{from: body}
	err := room.PutExpect(ctx, client, f.SHA256, f.Size)
	switch {
	case errors.Is(err, blob.ErrSizeMismatch), errors.Is(err, blob.ErrHashMismatch):
		return heardOut(body, mismatch(f, err))
	case err != nil && client.failed:
		return errCutOff
	}
	return err
}

func mismatch(f releasedb.PendingFile, err error) error {
	why := "the bytes do not have the sha256 that the release announced; send the file as it was, or announce a new release"
	if errors.Is(err, blob.ErrSizeMismatch) {
		why = "the release announced " + strconv.FormatInt(f.Size, 10) +
			" bytes, and not that many came; send the file as it was, or announce a new release"
	}
	return errUploadMismatch.With(f.Path+": "+why).WithField("path", f.Path).WithField("sha256", f.SHA256).WithField("size", f.Size)
}

// heardOut is the refusal of a body, after what is left of it.
func heardOut(body io.Reader, refusal error) error {
	if err := drain.Refused(body); err != nil {
		return errCutOff
	}
	return refusal
}

var errCutOff = shop.ErrInvalidRequest.With("the body ended early")

// clientReader tells failures of the sender from those of the disk: the former
// are refusals.
type clientReader struct {
	from   io.Reader
	failed bool
}

func (r *clientReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.failed = r.failed || err != nil && err != io.EOF
	return n, err
}
