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

// A photo is a picture that a buyer sends for a review or question (CONTRACT-COMMERCE, "Reviews
// and questions"). Only the picture itself is kept, as WebP; its location and camera metadata,
// its name and its original are discarded. Until the review is approved the photo has no public
// URL; its author and the members of the shop see it through the review.

// errSection limits buyers to the section reviews.
var errSection = shop.Refuse(shop.PermissionDenied, "SECTION_DENIED").When("a buyer may send pictures only to the section reviews")

// buyerErrors are the additional refusals of an announcement by a buyer.
var buyerErrors = api.Refuses(errSection, api.ErrDenied, store.ErrShopNotFound, remark.ErrPhotosWaiting)

// photoBudgets limit how many pictures one network and one person announce.
type photoBudgets struct {
	networks *budget.Budgets[netip.Prefix]
	people   *budget.Budgets[shop.UserID]
}

// Hourly limits of pictures.
const (
	photosOfNetwork = 60
	photosOfPerson  = 30
)

func newPhotoBudgets(now func() time.Time, count budget.Count) photoBudgets {
	return photoBudgets{budget.Shared[netip.Prefix]("photos", photosOfNetwork, time.Hour, now, count), budget.Shared[shop.UserID]("photos of person", photosOfPerson, time.Hour, now, count)}
}

// take counts a picture against the budgets of its caller.
func (b photoBudgets) take(call *api.Call) error {
	_, wait := b.networks.Take(call.Network())
	if wait == 0 {
		_, wait = b.people.Take(call.Person)
	}
	if wait > 0 {
		return shop.ErrRateLimited.With("at most 30 pictures an hour from one person and 60 from one address").RetryAfter(budget.Seconds(wait))
	}
	return nil
}

// isBuyer reports whether the caller is a buyer: signed in, without a role in the shop.
func isBuyer(call *api.Call) bool { return !call.ByKey() && !call.Role.Known() }

// requestPhoto announces a picture of a buyer.
func (m *Media) requestPhoto(ctx context.Context, call *api.Call, in uploadRequest) (out uploadAnswer, err error) {
	company, err := m.buyerShop(ctx, call, in.CompanyID)
	if err != nil {
		return out, err
	}
	in.Name = "photo" // the buyer's file name is private
	f, err := in.newFile()
	switch {
	case err != nil:
		return out, err
	case f.Section != shop.ReviewSection:
		return out, errSection
	case f.Type != kindImage:
		return out, ErrNotImage.With("a review accepts only pictures")
	}
	if err := m.photoBudgets.take(call); err != nil {
		return out, err
	}
	f.Buyer = &call.Person
	if out.Upload, err = m.announce(ctx, call, company, &f); err != nil {
		return out, err
	}
	out.Result.ID, out.Result.PublicPath = f.ID, shop.FileURL(f.Path)
	return out, nil
}

// buyerShop returns the shop that a buyer's call is for.
func (m *Media) buyerShop(ctx context.Context, call *api.Call, named shop.CompanyID) (shop.CompanyID, error) {
	company, err := call.BuyerShop(named)
	if err == nil && company == 0 {
		err = store.ErrShopNotFound.At("company_id").With("required outside the storefront of the shop")
	}
	if err == nil {
		_, err = companydb.Info(ctx, m.store.Shop(company))
	}
	return company, err
}

type doneRequest struct {
	ID        uuid.UUID      `path:"id" json:"-"`
	CompanyID shop.CompanyID `json:"company_id" doc:"for buyers outside a storefront: the shop"`
}

// uploaded returns the upload that a call confirms: a file of the library, or a photo of the
// caller.
func (m *Media) uploaded(ctx context.Context, call *api.Call, in doneRequest) (company shop.CompanyID, f mediadb.File, err error) {
	if !isBuyer(call) {
		f, err = mediadb.FileByUpload(ctx, m.store.Shop(call.Company), in.ID)
		if call.ByKey() || in.CompanyID == 0 || !errors.Is(err, mediadb.ErrFileNotFound) {
			return call.Company, f, err
		}
	}
	if company, err = m.buyerShop(ctx, call, in.CompanyID); err != nil {
		return 0, f, err
	}
	f, err = remark.PhotoByUpload(ctx, m.store.Shop(company), in.ID, call.Person)
	return company, f, err
}

// confirmPhoto creates the served picture from an upload and deletes the upload's bytes.
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
	reservation, err := m.intake.Reserve(ctx, company, blob.Ref{SHA256: ready.SHA256, Size: ready.Size})
	defer func() { reservation.Close(ctx) }()
	if err == nil {
		err = reservation.PutExpect(ctx, bytes.NewReader(body), ready.SHA256, ready.Size)
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
		return reservation.Keep(ctx, tx)
	})
	return ready, err
}
