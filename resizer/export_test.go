package resizer

import "github.com/h2non/bimg"

// ETag is the entity tag that Variant will return, unless it answers with a
// stand-in: a revalidation needs neither the source nor the disk.
func ETag(sourceKey string, width, quality int) string {
	return wishFor(width, quality).etag(sourceKey)
}

// LibraryMemory is how many bytes libvips holds now and has held at most.
func LibraryMemory() (now, high int64) {
	m := bimg.VipsMemory()
	return m.Memory, m.MemoryHighwater
}
