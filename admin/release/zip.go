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
}

type zipAnswer struct {
	releaseCreated
	Skipped release.Skipped `json:"skipped"`
	*publishAnswer
}

// zip makes a release of a ZIP (document 3, 4.1 and 4.2). The archive is read
// twice: for the manifest, which is checked against the plan, and then for the
// bytes, so that a refused archive leaves nothing behind.
func (h held) zip(ctx context.Context, c *api.Call, in zipRequest) (out zipAnswer, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), receiveTimeout)
	defer cancel()
	d, err := h.find(ctx, h.store.Shop(c.Company), int64(in.ID))
	if err != nil {
		return out, err
	}
	a, err := h.spool(ctx, c, limitsOf(d.Kind))
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, a.close(ctx)) }()
	req := release.Request{Base: in.Base}
	if req.Files, out.Skipped, err = a.measure(); err != nil {
		return out, err
	}
	stored := arrived{}
	defer stored.close(ctx)
	if err := h.storeArchive(ctx, c.Company, a, d, req, &stored); err != nil {
		return out, err
	}
	if d, err = h.first(ctx, c, int64(in.ID)); err != nil {
		return out, err
	}
	out.releaseCreated, err = h.insertStored(ctx, c, d, req, &stored)
	if errors.Is(err, errLetGo) { // the archive has them
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

// archive is an uploaded ZIP in a file without a name: it vanishes with its last
// descriptor, however the process ends.
type archive struct {
	file   *os.File
	size   int64
	limits release.Limits
	room   *intake.Reservation
}

func (a archive) close(ctx context.Context) error {
	a.room.Close(ctx)
	return a.file.Close()
}

// spool writes the ZIP of a call to a file, in room that is made for it.
func (rs *Releases) spool(ctx context.Context, c *api.Call, l release.Limits) (a archive, err error) {
	if raw, size := c.Body(); size > l.Zip+1<<20 { // room for the frame of a multipart body
		return a, heardOut(raw, release.ErrTooLarge.With("the ZIP has more than 60 MiB"))
	}
	a.limits = l
	body, err := c.File()
	if err != nil {
		return a, err
	}
	if a.room, err = rs.intake.ReserveSpool(ctx, c.Company, sizeOf(c, l.Zip+1)); err != nil {
		return a, err
	}
	if a.file, err = os.CreateTemp("", "vitrine-*.zip"); err != nil {
		a.room.Close(ctx)
		return a, err
	}
	client := &clientReader{from: io.LimitReader(body, a.room.Size()+1)}
	err = os.Remove(a.file.Name())
	if err == nil {
		a.size, err = io.Copy(a.file, client)
	}
	if err != nil && client.failed {
		err = errCutOff
	}
	if err == nil && a.size > a.room.Size() && a.size <= l.Zip {
		err = media.ErrStorageLimit.With("the ZIP does not end within the room that is left for uploads")
	}
	if err != nil {
		return a, errors.Join(err, a.close(ctx))
	}
	return a, nil
}

// sizeOf is how long the body of a call is, or most where nobody knows.
func sizeOf(c *api.Call, most int64) int64 {
	if _, size := c.Body(); size >= 0 {
		return min(size, most)
	}
	return most
}

// arrived is what was stored of an archive and no release refers to yet.
type arrived struct {
	hashes map[string]bool
	lost   map[string]bool // contents that the shop's account had and the storage did not
	rooms  []*intake.Reservation
}

func (a *arrived) keep(ctx context.Context, tx *store.Tx) error {
	for _, room := range a.rooms {
		if err := room.Keep(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

func (a *arrived) close(ctx context.Context) {
	for _, room := range a.rooms {
		room.Close(ctx)
	}
}

// measure is the manifest of the archive.
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

// storeArchive stores the bytes that the shop does not have, after room was made
// for all of them: nothing is stored of a release that does not fit. It adds their
// hashes to stored.
func (rs *Releases) storeArchive(
	ctx context.Context, company shop.CompanyID, a archive, d releasedb.Document, req release.Request, stored *arrived,
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
	room, err := rs.intake.Reserve(ctx, company, contents...)
	if err != nil {
		return err
	}
	stored.rooms = append(stored.rooms, room)
	if err := putArchive(ctx, a, missing, room); err != nil {
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

// putArchive stores the missing files of an archive, by their paths.
func putArchive(ctx context.Context, a archive, missing map[string]release.File, room *intake.Reservation) error {
	var puts errgroup.Group
	puts.SetLimit(putsAtOnce)
	_, err := release.Unzip(a.file, a.size, a.limits, func(path string, r io.Reader) error {
		f, wanted := missing[path]
		if !wanted {
			return nil
		}
		if f.Size > putAside {
			return room.PutExpect(ctx, r, f.SHA256, f.Size)
		}
		body := make([]byte, f.Size)
		if _, err := io.ReadFull(r, body); err != nil {
			return err
		}
		puts.Go(func() error { return room.PutExpect(ctx, bytes.NewReader(body), f.SHA256, f.Size) })
		return nil
	})
	return errors.Join(err, puts.Wait())
}

// errLetGo is a release that counts on bytes which the shop had when its archive
// was read, and has no more.
var errLetGo = errors.New("site: the shop let go of bytes meanwhile")

// Small files of an archive are stored several at once, since each waits for the
// disk and hardly for anything else.
const (
	putsAtOnce = 16
	putAside   = 1 << 20 // bytes
)

// insertStored adds a release whose bytes are all stored, or is errLetGo. The base
// is looked at anew under the lock, since another release may have gone live
// meanwhile.
func (rs *Releases) insertStored(
	ctx context.Context, c *api.Call, d releasedb.Document, req release.Request, stored *arrived,
) (out releaseCreated, err error) {
	err = rs.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		d, err := releasedb.LockDocument(ctx, tx, d.Kind, d.ID)
		if err != nil {
			return err
		}
		if err := sweep.HoldBlobs(ctx, tx, hashesOf(req)); err != nil {
			return err
		}
		p, err := makePlan(ctx, tx.Reader, d, req, stored.lost)
		if err != nil {
			return err
		}
		kept, rows := p.reused(), []releasedb.NewReleaseFile{}
		for _, f := range p.Upload {
			if !stored.hashes[f.SHA256] {
				return errLetGo
			}
			kept[f.SHA256] = f.Size
		}
		for _, f := range p.Files {
			rows = append(rows, releasedb.NewReleaseFile{ReleaseFile: releasedb.ReleaseFile{Path: f.Path, SHA256: f.SHA256, Size: f.Size, MIME: f.MIME}})
		}
		if err := media.KeepBlobs(ctx, tx, kept); err != nil {
			return err
		}
		row := releasedb.Release{Document: d.ID, CreatedBy: c.Person}
		if err := releasedb.InsertRelease(ctx, tx, &row, rows); err != nil {
			return err
		}
		out = releaseCreated{ReleaseID: row.ID, Upload: []uploadView{}, Reused: listed(p.Reused), Inherited: listed(p.Inherited)}
		return stored.keep(ctx, tx)
	})
	return out, err
}
