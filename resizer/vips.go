package resizer

// #cgo pkg-config: vips gmodule-no-export-2.0
// #include "vips.h"
import "C"

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/h2non/bimg"
)

// encoderEffort is WebP's effort, 0 to 6. It is the same for all variants, so that a
// variant always has the same bytes.
const encoderEffort = 4

// sharpChromaFrom is the quality from which sharper edges of saturated colours are worth
// the time: it applies to masters and to requests for such a quality.
const sharpChromaFrom = 90

// startVips configures the library, which is global to the process: bimg starts it when its
// package is loaded. Its operation cache never hits for buffers and pins decoded pixels, so
// it is disabled.
var startVips = sync.OnceFunc(func() {
	bimg.VipsCacheSetMax(0)
	bimg.VipsCacheSetMaxMem(0)
	C.vt_setup()
})

// shape holds the parameters of a conversion.
type shape struct {
	width, height int // bounding box after rotation; pictures are never enlarged
	allFrames     bool
	orientation   int
	quality       int // 0: lossless
}

// encoded is a finished picture.
type encoded struct {
	body          []byte
	width, height int
}

// encode decodes, shrinks, rotates, converts to sRGB and saves as WebP without metadata. It
// does not use bimg's resize, which passes libvips a buffer that the garbage collector may
// free before it is read when a JPEG must be rotated, enlarges pictures, loses colour
// profiles and keeps one frame of an animation.
//
// The caller runs on a locked thread (see decoder.open).
func encode(source []byte, info Info, s shape) (encoded, error) {
	picture, err := attempt(source, info, s)
	if errors.Is(err, ErrBroken) && !canRead(info.Format, heifSamples) {
		return encoded{}, fmt.Errorf("%w: %s", ErrNoDecoder, info.Format)
	}
	return picture, err
}

// heifSamples are small whole pictures of the formats that not every libvips reads.
var heifSamples = map[Format][]byte{AVIF: avifSample, HEIC: heicSample}

var (
	//go:embed sample.avif
	avifSample []byte
	//go:embed sample.heic
	heicSample []byte
)

// canRead tells a picture that is broken from a library that lacks the format: that depends on
// how libvips and libheif were built, and on the codecs beside them, so a sample is tried.
func canRead(format Format, samples map[Format][]byte) bool {
	sample, ok := samples[format]
	if !ok {
		return true
	}
	_, err := attempt(sample, Info{Format: format}, shape{width: 8, height: 8, orientation: upright, quality: 80})
	return err == nil
}

func attempt(source []byte, info Info, s shape) (encoded, error) {
	job := C.vt_job{
		width: C.int(s.width), height: C.int(s.height), orientation: C.int(s.orientation),
		quality: C.int(s.quality), effort: encoderEffort, pixels: MaxPixels,
	}
	if s.allFrames {
		job.all_frames = 1
	}
	if info.Format == AVIF || info.Format == HEIC {
		job.whole = 1
	}
	if s.quality >= sharpChromaFrom {
		job.sharp_chroma = 1
	}
	if swapsSides(s.orientation) {
		job.width, job.height = job.height, job.width
	}
	var result C.int
	if info.Format == BMP {
		pixels, err := decodeBMP(source)
		if err != nil {
			return encoded{}, err
		}
		result = C.vt_resize_pixels(unsafe.Pointer(unsafe.SliceData(pixels.Pix)), C.size_t(len(pixels.Pix)),
			C.int(pixels.Rect.Dx()), C.int(pixels.Rect.Dy()), &job)
	} else {
		result = C.vt_resize_file(unsafe.Pointer(unsafe.SliceData(source)), C.size_t(len(source)), &job)
	}
	return collect(result, &job)
}

// collect copies the result of the library to Go memory and releases it.
func collect(result C.int, job *C.vt_job) (encoded, error) {
	defer C.vt_free(job.out)
	defer C.vt_free(unsafe.Pointer(job.error))
	switch result {
	case C.VT_OK:
		return encoded{
			body:  stripMetadata(unsafe.Slice((*byte)(job.out), job.out_size)),
			width: int(job.out_width), height: int(job.out_height),
		}, nil
	case C.VT_TOO_BIG:
		return encoded{}, fmt.Errorf("%w: more pixels than its header declares", ErrTooBig)
	}
	text, _, _ := strings.Cut(C.GoString(job.error), "\n") // the first line contains the cause
	return encoded{}, fmt.Errorf("%w: %s", ErrBroken, text)
}

// leaveVips releases the library's data for the current thread.
func leaveVips() { C.vt_leave_thread() }
