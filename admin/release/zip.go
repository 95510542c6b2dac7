package release

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"

	"golang.org/x/sync/errgroup"

	"vitrine/admin/api"
	"vitrine/admin/intake"
	"vitrine/compile/release"
	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
	releasedb "vitrine/internal/store/release"
	"vitrine/internal/store/sweep"
)

type zipRequest struct {
	holderPath
	Publish bool   `query:"publish" json:"-" doc:"publish the release at once"`
	Base    string `query:"base" json:"-" doc:"active (also when absent), none, or a release id"` // active (also when absent), none or a release id
	From    string `query:"source_url" json:"-" len:"1024" refuse:"URL_NOT_ALLOWED" doc:"instead of a body: the URL of a ZIP, or of an HTML page that becomes index.html"`
}

type zipAnswer struct {
	releaseCreated
	Skipped release.Skipped `json:"skipped"`
	*publishAnswer
}

// zip creates a release from a ZIP (document 3, 4.1 and 4.2). The archive is read twice: first
// for the manifest, which is checked against the plan, and then for the bytes, so that a refused
// archive leaves nothing behind.
func (h holderEndpoints) zip(ctx context.Context, c *api.Call, in zipRequest) (out zipAnswer, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), receiveTimeout)
	defer cancel()
	d, err := h.find(ctx, h.store.Shop(c.Company), int64(in.ID))
	if err != nil {
		return out, err
	}
	a, err := h.spool(ctx, c, limitsOf(d.Kind), in.From)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, a.close(ctx)) }()
	req := release.Request{Base: in.Base}
	if req.Files, out.Skipped, err = a.measure(); err != nil {
		return out, err
	}
	stored := storedBytes{}
	defer stored.close(ctx)
	if err := h.storeArchive(ctx, c.Company, a, d, req, &stored); err != nil {
		return out, err
	}
	if d, err = h.first(ctx, c, int64(in.ID)); err != nil {
		return out, err
	}
	out.releaseCreated, err = h.insertStored(ctx, c, d, req, &stored)
	if errors.Is(err, errBytesDeleted) { // the archive contains those bytes
		if err = h.storeArchive(ctx, c.Company, a, d, req, &stored); err == nil {
			out.releaseCreated, err = h.insertStored(ctx, c, d, req, &stored)
		}
	}
	if err != nil || !in.Publish {
		return out, err
	}
	answer, err := h.publish(ctx, c, d, out.ReleaseID, false)
	if refusal, ok := shop.AsRefusal(err); ok {
		err = refusal.WithField("release_id", out.ReleaseID)
	}
	out.publishAnswer = &answer
	return out, err
}

// archive is an uploaded ZIP in an unlinked file, which is deleted with its last descriptor,
// however the process ends.
type archive struct {
	file        *os.File
	size        int64
	limits      release.Limits
	reservation *intake.Reservation
}

func (a archive) close(ctx context.Context) error {
	a.reservation.Close(ctx)
	return a.file.Close()
}

// spool writes the ZIP of a call, or the one at a URL, to a file, within a reservation.
func (rs *Releases) spool(ctx context.Context, c *api.Call, l release.Limits, from string) (a archive, err error) {
	a.limits = l
	if from != "" {
		return rs.spoolAway(ctx, c, a, from)
	}
	if raw, size := c.Body(); size > l.Zip+1<<20 { // allowance for the multipart framing
		return a, drainAndRefuse(raw, release.ErrTooLarge.With("the ZIP has more than 60 MiB"))
	}
	body, err := c.File()
	if err != nil {
		return a, err
	}
	client := &clientReader{from: body}
	if a, err = rs.spoolFrom(ctx, c, a, client, sizeOf(c, l.Zip+1)); err != nil && client.failed {
		err = errCutOff
	}
	return a, err
}

// spoolFrom writes a body of at most most bytes to the file of an archive.
func (rs *Releases) spoolFrom(ctx context.Context, c *api.Call, a archive, body io.Reader, most int64) (_ archive, err error) {
	if a.reservation, err = rs.intake.ReserveSpool(ctx, c.Company, most); err != nil {
		return a, err
	}
	if a.file, err = os.CreateTemp("", "vitrine-*.zip"); err != nil {
		a.reservation.Close(ctx)
		return a, err
	}
	if err = os.Remove(a.file.Name()); err == nil {
		a.size, err = io.Copy(a.file, io.LimitReader(body, a.reservation.Size()+1))
	}
	if err == nil && a.size > a.reservation.Size() && a.size <= a.limits.Zip {
		err = media.ErrStorageLimit.With("the storage that is left for uploads is too small for the ZIP")
	}
	if err != nil {
		return a, errors.Join(err, a.close(ctx))
	}
	return a, nil
}

// sizeOf returns the length of a call's body, or most if it is unknown.
func sizeOf(c *api.Call, most int64) int64 {
	if _, size := c.Body(); size >= 0 {
		return min(size, most)
	}
	return most
}

// storedBytes holds the stored bytes of an archive that no release refers to yet.
type storedBytes struct {
	hashes       map[string]bool
	lost         map[string]bool // contents recorded for the shop but missing in the storage
	reservations []*intake.Reservation
}

func (a *storedBytes) keep(ctx context.Context, tx *store.Tx) error {
	for _, reservation := range a.reservations {
		if err := reservation.Keep(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

func (a *storedBytes) close(ctx context.Context) {
	for _, reservation := range a.reservations {
		reservation.Close(ctx)
	}
}

// measure returns the manifest of the archive.
func (a archive) measure() (files []release.File, skipped release.Skipped, err error) {
	files = []release.File{}
	skipped, err = release.Unzip(a.file, a.size, a.limits, func(path string, r io.Reader) error {
		sum := sha256.New()
		size, err := io.Copy(sum, r)
		files = append(files, release.File{Path: path, SHA256: hex.EncodeToString(sum.Sum(nil)), Size: size})
		return err
	})
	if skipped == nil {
		skipped = release.Skipped{}
	}
	return files, skipped, err
}

// storeArchive stores the bytes that the shop does not have, after reserving storage for all of
// them: nothing is stored of a release that does not fit. It adds their hashes to stored.
func (rs *Releases) storeArchive(
	ctx context.Context, company shop.CompanyID, a archive, d releasedb.Document, req release.Request, stored *storedBytes,
) (err error) {
	r := rs.store.Shop(company)
	if stored.lost, err = rs.lostOf(ctx, r, req); err != nil {
		return err
	}
	p, err := makePlan(ctx, r, d, req, stored.lost)
	if err != nil {
		return err
	}
	missing, contents := map[string]release.File{}, []blob.Ref{}
	for _, f := range p.Upload {
		missing[f.Path] = f
		contents = append(contents, blob.Ref{SHA256: f.SHA256, Size: f.Size})
	}
	reservation, err := rs.intake.Reserve(ctx, company, contents...)
	if err != nil {
		return err
	}
	stored.reservations = append(stored.reservations, reservation)
	if err := putArchive(ctx, a, missing, reservation); err != nil {
		return err
	}
	if stored.hashes == nil {
		stored.hashes = map[string]bool{}
	}
	for _, f := range p.Upload {
		stored.hashes[f.SHA256] = true
	}
	return nil
}

// putArchive stores the missing files of an archive, given by path.
func putArchive(ctx context.Context, a archive, missing map[string]release.File, reservation *intake.Reservation) error {
	var puts errgroup.Group
	puts.SetLimit(maxConcurrentPuts)
	_, err := release.Unzip(a.file, a.size, a.limits, func(path string, r io.Reader) error {
		f, wanted := missing[path]
		if !wanted {
			return nil
		}
		if f.Size > smallFile {
			return reservation.PutExpect(ctx, r, f.SHA256, f.Size)
		}
		body := make([]byte, f.Size)
		if _, err := io.ReadFull(r, body); err != nil {
			return err
		}
		puts.Go(func() error { return reservation.PutExpect(ctx, bytes.NewReader(body), f.SHA256, f.Size) })
		return nil
	})
	return errors.Join(err, puts.Wait())
}

// errBytesDeleted means that a release relies on bytes that the shop had when its archive was read,
// and that have been deleted since.
var errBytesDeleted = errors.New("release: bytes of the shop were deleted meanwhile")

// Small files of an archive are stored concurrently, because storing one mostly waits for the
// disk.
const (
	maxConcurrentPuts = 16
	smallFile         = 1 << 20 // bytes; larger files are stored one by one
)

// insertStored adds a release whose bytes are all stored, or returns errBytesDeleted. It reads the
// base again under the lock, because another release may have gone live meanwhile.
func (rs *Releases) insertStored(
	ctx context.Context, c *api.Call, d releasedb.Document, req release.Request, stored *storedBytes,
) (out releaseCreated, err error) {
	err = rs.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		d, err := releasedb.LockDocument(ctx, tx, d.Kind, d.ID)
		if err != nil {
			return err
		}
		if err := sweep.LockBlobs(ctx, tx, hashesOf(req)); err != nil {
			return err
		}
		p, err := makePlan(ctx, tx.Reader, d, req, stored.lost)
		if err != nil {
			return err
		}
		kept, rows := p.reused(), []releasedb.NewReleaseFile{}
		for _, f := range p.Upload {
			if !stored.hashes[f.SHA256] {
				return errBytesDeleted
			}
			kept[f.SHA256] = f.Size
		}
		for _, f := range p.Files {
			rows = append(rows, releasedb.NewReleaseFile{ReleaseFile: releasedb.ReleaseFile{Path: f.Path, SHA256: f.SHA256, Size: f.Size, MIME: f.MIME}})
		}
		if err := media.OwnBlobs(ctx, tx, kept); err != nil {
			return err
		}
		row := releasedb.Release{Document: d.ID, CreatedBy: c.Person}
		if err := releasedb.InsertRelease(ctx, tx, &row, rows); err != nil {
			return err
		}
		out = releaseCreated{ReleaseID: row.ID, Upload: []uploadView{}, Reused: orEmpty(p.Reused), Inherited: orEmpty(p.Inherited)}
		return stored.keep(ctx, tx)
	})
	return out, err
}
