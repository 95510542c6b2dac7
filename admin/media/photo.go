package media

import (
	"bytes"
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/blob"
	"vitrine/internal/budget"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	mediadb "vitrine/internal/store/media"
	"vitrine/internal/store/remark"
)

// A photo is a picture that a buyer sends for a review (CONTRACT-COMMERCE, "Reviews
// and questions"). Of what is uploaded the picture alone is kept, as WebP: where and by
// what it was taken, its name and its original go. Until its review is approved it has
// no public address; its author and the shop's people see it through the review.

// errSection keeps buyers out of the library.
var errSection = shop.Refuse(shop.PermissionDenied, "SECTION_DENIED").When("a buyer sends pictures to the section reviews and to no other")

// buyerErrors is what a buyer may hear of an announcement.
var buyerErrors = api.Refuses(errSection, api.ErrDenied, store.ErrShopNotFound, remark.ErrPhotosWaiting)

// photoBudgets bound how many pictures one network and one person announce.
type photoBudgets struct {
	networks *budget.Budgets[netip.Prefix]
	people   *budget.Budgets[shop.UserID]
}

// Pictures of one network and of one person in an hour.
const (
	photosOfNetwork = 60
	photosOfPerson  = 30
)

func newPhotoBudgets(now func() time.Time) photoBudgets {
	return photoBudgets{budget.New[netip.Prefix](photosOfNetwork, time.Hour, now), budget.New[shop.UserID](photosOfPerson, time.Hour, now)}
}

// take counts a picture of a call.
func (b photoBudgets) take(call *api.Call) error {
	_, wait := b.networks.Take(call.Network())
	if wait == 0 {
		_, wait = b.people.Take(call.Person)
	}
	if wait > 0 {
		return shop.ErrRateLimited.With("30 pictures an hour of one person, 60 from one address").RetryAfter(budget.Seconds(wait))
	}
	return nil
}

// buys reports that who calls is somebody's customer and nobody of a shop.
func buys(call *api.Call) bool { return !call.ByKey() && !call.Role.Known() }

// requestPhoto announces a picture of a buyer.
func (m *Media) requestPhoto(ctx context.Context, call *api.Call, in uploadRequest) (out uploadAnswer, err error) {
	company, err := m.visited(ctx, call, in.CompanyID)
	if err != nil {
		return out, err
	}
	in.Name = "photo" // what it is called at home is nobody's business
	f, err := in.newFile()
	switch {
	case err != nil:
		return out, err
	case f.Section != shop.ReviewSection:
		return out, errSection
	case f.Type != kindImage:
		return out, ErrNotImage.With("a review has pictures alone")
	}
	if err := m.senders.take(call); err != nil {
		return out, err
	}
	f.Buyer = &call.Person
	if out.Upload, err = m.announce(ctx, call, company, &f); err != nil {
		return out, err
	}
	out.Result.ID, out.Result.PublicPath = f.ID, shop.FileURL(f.Path)
	return out, nil
}

// visited is the shop that a buyer means.
func (m *Media) visited(ctx context.Context, call *api.Call, named shop.CompanyID) (shop.CompanyID, error) {
	company, err := call.BuyerShop(named)
	if err == nil && company == 0 {
		err = store.ErrShopNotFound.At("company_id").With("name the shop")
	}
	if err == nil {
		_, err = companydb.Info(ctx, m.store.Shop(company))
	}
	return company, err
}

type doneRequest struct {
	ID        uuid.UUID      `path:"id" json:"-"`
	CompanyID shop.CompanyID `json:"company_id" doc:"of a buyer: the shop, outside of its storefront"`
}

// uploaded is the upload that a call confirms: of the library, or a picture of who calls.
func (m *Media) uploaded(ctx context.Context, call *api.Call, in doneRequest) (company shop.CompanyID, f mediadb.File, err error) {
	if !buys(call) {
		f, err = mediadb.FileByUpload(ctx, m.store.Shop(call.Company), in.ID)
		if call.ByKey() || in.CompanyID == 0 || !errors.Is(err, mediadb.ErrFileNotFound) {
			return call.Company, f, err
		}
	}
	if company, err = m.visited(ctx, call, in.CompanyID); err != nil {
		return 0, f, err
	}
	f, err = remark.PhotoByUpload(ctx, m.store.Shop(company), in.ID, call.Person)
	return company, f, err
}

// confirmPhoto makes of an upload what is served, and lets the upload go.
func (m *Media) confirmPhoto(ctx context.Context, company shop.CompanyID, f mediadb.File) (mediadb.File, error) {
	switch {
	case f.Size > maxBytes(f.Type):
		return f, tooLarge(f.Type)
	case f.Status == mediadb.FileRequested:
		return f, ErrUploadMissing.With("PUT the bytes to upload.url first")
	case f.Size == 0:
		return f, ErrFileEmpty
	}
	file, err := m.blobs.ReadAll(ctx, f.OriginalSHA256, maxImage)
	if errors.Is(err, blob.ErrNotFound) {
		return f, errUploadAgain
	}
	if err != nil {
		return f, err
	}
	body, picture, err := m.images.Photo(ctx, file)
	if err != nil {
		return f, err
	}
	ready := f
	ready.SHA256, ready.Size, ready.MIME = blob.Sum(body), int64(len(body)), "image/webp"
	ready.Width, ready.Height, ready.Path, ready.Status = picture.Width, picture.Height, pathOf(f, "webp"), mediadb.FileStored
	room, err := m.intake.Reserve(ctx, company, blob.Ref{SHA256: ready.SHA256, Size: ready.Size})
	defer func() { room.Close(ctx) }()
	if err == nil {
		err = room.PutExpect(ctx, bytes.NewReader(body), ready.SHA256, ready.Size)
	}
	if err != nil {
		return f, err
	}
	err = m.store.Write(ctx, company, func(tx *store.Tx) error {
		now, err := remark.LockPhoto(ctx, tx, f.ID, *f.Buyer)
		switch {
		case err != nil:
			return err
		case now.Status == mediadb.FileStored: // by another confirmation
			ready = now
			return nil
		case now.OriginalSHA256 != f.OriginalSHA256:
			return ErrUploadChanged
		}
		if err := remark.StorePhoto(ctx, tx, ready, f.OriginalSHA256, f.Size); err != nil {
			return err
		}
		return room.Keep(ctx, tx)
	})
	return ready, err
}
