package resizer

import (
	"context"
	"fmt"

	"vitrine/internal/blob"
)

// Settings of a master. It is resized again later, so it loses little.
const (
	maxMasterSide   = 4096
	masterQuality   = 90
	smallerQuality  = 80        // when the first try came out larger than the upload
	maxLosslessArea = 4_000_000 // pixels; lossless WebP takes seconds beyond

	maxPhotoSide = 2560 // the widest that pages ask for
	photoQuality = 82
)

// Master converts an uploaded JPEG, PNG, BMP or TIFF to WebP, as content
// sections do (document 1, section 3): upright, in sRGB, without metadata, no
// side over 4096 pixels. A PNG of up to 4 megapixels stays lossless when that is
// no larger than the upload. The Info is that of the result.
//
// GIF and WebP are ErrNotResizable: they stay as they are. A file that is cut
// short is ErrBroken. The work goes through the same queue as variants, with
// the same errors.
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
	done, err := r.pool.do(ctx, "master "+blob.Sum(file), func(d *decoder) (outcome, error) {
		return r.makeMaster(d, file, source)
	})
	if err != nil {
		return nil, Info{}, err
	}
	return done.picture.body, done.info, nil
}

// makeMaster runs on a worker; it takes the first try that is no larger than
// the upload, and the smallest when none is.
func (r *Resizer) makeMaster(d *decoder, file []byte, source Info) (outcome, error) {
	tries := []int{masterQuality, smallerQuality}
	if source.Format == PNG && source.Width*source.Height <= maxLosslessArea {
		tries = []int{0, masterQuality, smallerQuality}
	}
	var best encoded
	for _, quality := range tries {
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

// Photo converts what a visitor has sent to a WebP that nothing of the upload is left
// in but the picture: upright, in sRGB, no side over 2560 pixels. GIF and WebP are
// converted too, animated ones to their first frame. The rest is as for Master.
func (r *Resizer) Photo(ctx context.Context, file []byte) ([]byte, Info, error) {
	source, err := Inspect(file)
	if err == nil {
		err = Complete(file)
	}
	if err != nil {
		return nil, Info{}, err
	}
	done, err := r.pool.do(ctx, "photo "+blob.Sum(file), func(d *decoder) (outcome, error) {
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
