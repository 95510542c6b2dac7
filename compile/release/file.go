package release

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"vitrine/internal/shop"
)

// File is one row of a manifest: a path and the hash of its contents.
type File struct {
	Path   string `json:"path" required:"always" len:"512" refuse:"RELEASE_PATH_INVALID" spaces:"kept"`
	SHA256 string `json:"sha256" required:"always" len:"255" refuse:"RELEASE_FILE_INVALID"` // 64 lower-case hex digits
	Size   int64  `json:"size" required:"always"`                                           // bytes; a JSON number, since no file comes near 32 bits
	MIME   string `json:"mime"`                                                             // from MIME; never read from a request
}

// emptySum is the sha256 of empty input.
const emptySum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// UnmarshalJSON decodes a row as sent by clients: the size as a number or a string (document 1,
// conventions), mime ignored. A missing size becomes -1, since 0 would be an empty file.
func (f *File) UnmarshalJSON(b []byte) error {
	var row struct {
		Path   string      `json:"path"`
		SHA256 string      `json:"sha256"`
		Size   *shop.Int64 `json:"size"`
	}
	if err := json.Unmarshal(b, &row); err != nil {
		return err
	}
	*f = File{Path: row.Path, SHA256: row.SHA256, Size: -1}
	if row.Size != nil {
		f.Size = int64(*row.Size)
	}
	return nil
}

// check validates the row and returns it in the form stored in a manifest.
func (f File) check(l Limits) (File, error) {
	path, err := Clean(f.Path)
	if err != nil {
		return File{}, err
	}
	sum := strings.ToLower(f.SHA256)
	if !isSum(sum) {
		return File{}, about(ErrFile.At("sha256"), path, "has a sha256 that is not 64 hex digits")
	}
	if f.Size < 0 {
		return File{}, about(ErrFile.At("size"), path, "needs its size in bytes, 0 or more")
	}
	if f.Size == 0 && sum != emptySum {
		return File{}, about(ErrFile.At("size"), path, "has size 0 but not the sha256 of an empty file")
	}
	if err := l.checkSize(path, f.Size); err != nil {
		return File{}, err
	}
	return File{Path: path, SHA256: sum, Size: f.Size, MIME: MIME(path)}, nil
}

func isSum(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// Size returns the total size of files.
func Size(files []File) int64 {
	var sum int64
	for _, f := range files {
		sum += f.Size
	}
	return sum
}

func byPath(a, b File) int { return cmp.Compare(a.Path, b.Path) }

// Find returns the file of a path in a manifest, which is sorted by path.
func Find(manifest []File, path string) (File, bool) {
	i, ok := slices.BinarySearchFunc(manifest, File{Path: path}, byPath)
	if !ok {
		return File{}, false
	}
	return manifest[i], true
}
