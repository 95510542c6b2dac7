package resizer

import "bytes"

const exifPrefix = "Exif\x00\x00"

// upright is the EXIF orientation of a picture that needs no rotation.
const upright = 1

// exifOrientation reads the orientation from EXIF data, with or without its prefix. Values
// other than 1 to 8 count as upright, as in browsers.
func exifOrientation(exif []byte) int {
	t, ok := openTIFF(bytes.TrimPrefix(exif, []byte(exifPrefix)))
	if !ok {
		return upright
	}
	fields, _, _ := t.directory(t.u32(4))
	for _, f := range fields {
		if f.tag == tagOrientation {
			return orientation(t.value(f, 0))
		}
	}
	return upright
}

func orientation(n int64) int {
	if n < 1 || n > 8 {
		return upright
	}
	return int(n)
}

// swapsSides reports whether the orientation exchanges width and height.
func swapsSides(orientation int) bool { return orientation >= 5 }
