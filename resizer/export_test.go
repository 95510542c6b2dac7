package resizer

import "github.com/h2non/bimg"

// ETag is the entity tag that Variant will return, except for a stand-in: a revalidation
// needs neither the source nor the disk.
func ETag(sourceKey string, width, quality int) string {
	return specFor(width, quality).etag(sourceKey)
}

// LibraryMemory returns the current and the peak memory of libvips in bytes.
func LibraryMemory() (now, high int64) {
	m := bimg.VipsMemory()
	return m.Memory, m.MemoryHighwater
}
