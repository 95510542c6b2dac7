// Package ceiling is the baseline for the benchmarks of the resizer: the two libvips calls
// that make a picture, without checks, queue, child or verification of the result. It is
// not part of any program.
package ceiling

// #cgo pkg-config: vips
// #include <vips/vips.h>
//
// static int plain(void *file, size_t size, int width, int quality, void **out, size_t *out_size) {
//	VipsImage *image;
//	if (vips_thumbnail_buffer(file, size, &image, width,
//			"height", 16383, "size", VIPS_SIZE_DOWN, NULL))
//		return -1;
//	int failed = vips_webpsave_buffer(image, out, out_size,
//		"Q", quality, "effort", 4, "strip", TRUE, NULL);
//	g_object_unref(image);
//	return failed;
// }
import "C"

import (
	"errors"
	"unsafe"
)

// Plain resizes a file to a width and returns the size of the WebP file in bytes. The
// library must have been started.
func Plain(file []byte, width, quality int) (int, error) {
	var out unsafe.Pointer
	var size C.size_t
	failed := C.plain(unsafe.Pointer(unsafe.SliceData(file)), C.size_t(len(file)), C.int(width), C.int(quality), &out, &size)
	defer C.g_free(C.gpointer(out))
	if failed != 0 {
		return 0, errors.New("ceiling: libvips failed")
	}
	return int(size), nil
}
