package shop

import "strings"

// FilesPrefix is the prefix below which the storefront serves originals of the media
// library by their storage path (CONTRACT, "Storefront host").
const FilesPrefix = "/files/"

// FileURL returns the address on the shop's host of a file by its storage path.
func FileURL(path string) string { return FilesPrefix + path }

// FilePath returns the storage path of an address on the shop's host, and whether it is a
// file of the media library at all.
func FilePath(address string) (path string, ours bool) {
	return strings.CutPrefix(address, FilesPrefix)
}
