package resizer

import (
	"context"
	"fmt"

	"vitrine/internal/blob"
)

// Settings of a master. It will be resized again later, so it must lose little.
const (
	maxMasterSide   = 4096
	masterQuality   = 90
	smallerQuality  = 80        // if the first attempt is larger than the upload
	maxLosslessArea = 4_000_000 // pixels; beyond, lossless WebP takes seconds

	maxPhotoSide = 2560 // the widest step of pages
	photoQuality = 82
)

// Master converts an uploaded JPEG, PNG, BMP, TIFF, AVIF or HEIC to WebP, for content sections
// (document 1, section 3): upright, in sRGB, without metadata, no side over 4096 pixels. A
// PNG of up to 4 megapixels stays lossless if that is no larger than the upload. The Info
// is that of the result.
//
// GIF and WebP are ErrNotResizable: they stay as they are. A truncated file is ErrBroken.
// The work uses the same queue as variants, with the same errors.
func (r *Resizer) Master(ctx context.Context, file []byte) ([]byte, Info, error) {
	source, err := Inspect(file)
	if err == nil {
		err = Complete(file)
	}
	if err == nil && (source.Format == GIF || source.Format == WebP) {
		err = fmt.Errorf("%w to a master: %s", ErrNotResizable, source.Format)
	}
	if err != nil {
		return nil, Info{}, err
	}
	done, err := r.pool.do(ctx, 0, "master "+blob.Sum(file), func(d *decoder) (outcome, error) {
		return r.makeMaster(d, file, source)
	})
	if err != nil {
		return nil, Info{}, err
	}
	return done.picture.body, done.info, nil
}

// makeMaster runs on a worker. It returns the first attempt that is no larger than the
// upload, or else the smallest.
func (r *Resizer) makeMaster(d *decoder, file []byte, source Info) (outcome, error) {
	qualities := []int{masterQuality, smallerQuality}
	if source.Format == PNG && source.Width*source.Height <= maxLosslessArea {
		qualities = []int{0, masterQuality, smallerQuality}
	}
	var best encoded
	for _, quality := range qualities {
		picture, err := r.encode(d, file, source, shape{
			width: maxMasterSide, height: maxMasterSide, orientation: source.Orientation, quality: quality,
		})
		if err != nil {
			return outcome{}, err
		}
		if best.body == nil || len(picture.body) < len(best.body) {
			best = picture
		}
		if len(best.body) <= len(file) {
			break
		}
	}
	info, err := Inspect(best.body)
	return outcome{best, info}, err
}

// Photo converts a visitor's upload to a WebP that contains nothing but the picture:
// upright, in sRGB, no side over 2560 pixels. GIF and WebP are converted too, animations to
// their first frame. Everything else is as for Master.
func (r *Resizer) Photo(ctx context.Context, file []byte) ([]byte, Info, error) {
	source, err := Inspect(file)
	if err == nil {
		err = Complete(file)
	}
	if err != nil {
		return nil, Info{}, err
	}
	done, err := r.pool.do(ctx, 0, "photo "+blob.Sum(file), func(d *decoder) (outcome, error) {
		picture, err := r.encode(d, file, source, shape{
			width: maxPhotoSide, height: maxPhotoSide, orientation: source.Orientation, quality: photoQuality,
		})
		if err != nil {
			return outcome{}, err
		}
		info, err := Inspect(picture.body)
		return outcome{picture, info}, err
	})
	if err != nil {
		return nil, Info{}, err
	}
	return done.picture.body, done.info, nil
}
