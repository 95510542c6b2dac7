package shop

import "strings"

// FilesPrefix is where the storefront serves originals of the media library,
// before their storage path (CONTRACT, "Storefront host").
const FilesPrefix = "/files/"

// FileURL is the address on the shop's host of a file by its storage path.
func FileURL(path string) string { return FilesPrefix + path }

// FilePath takes an address on the shop's host apart: the storage path, and
// whether it is a file of the media library at all.
func FilePath(address string) (path string, ours bool) {
	return strings.CutPrefix(address, FilesPrefix)
}
