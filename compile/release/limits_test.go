package release

import (
	"fmt"
	"testing"
)

// TestLimitsHoldAtTheByte tries n-1, n and n+1 of every limit of the table in document 3, section
// 8.
func TestLimitsHoldAtTheByte(t *testing.T) {
	for _, tc := range []struct {
		what string
		l    Limits
		path string
		n    int64
	}{
		{"document index", Document, "index.html", 2 << 20},
		{"document page below", Document, "sub/index.html", 50 << 20},
		{"document file", Document, "film.mp4", 50 << 20},
		{"document image", Document, "a.png", 50 << 20},
		{"folder index", Folder, "index.html", 20 << 20},
		{"folder page", Folder, "docs/A.HTM", 20 << 20},
		{"folder file", Folder, "film.mp4", 100 << 20},
		{"folder raster image", Folder, "a.JPG", 10 << 20},
		{"folder drawing", Folder, "a.svg", 100 << 20},
	} {
		for _, d := range []int64{-1, 0, 1} {
			_, err := Plan(Request{Files: []File{{Path: tc.path, SHA256: sum("1"), Size: tc.n + d}}}, nil, nothing, tc.l)
			if d <= 0 && err != nil {
				t.Errorf("%s of %d bytes: %v", tc.what, tc.n+d, err)
			} else if d > 0 {
				refused(t, err, ErrTooLarge, fmt.Sprintf("%q", tc.path), fmt.Sprintf("%d MiB", tc.n>>20))
			}
		}
	}
}

func TestFileCountHoldsOverBaseAndRequest(t *testing.T) {
	for _, l := range []Limits{Document, Folder} {
		for d := -1; d <= 1; d++ {
			base, more := numbered("a", l.Files-10), numbered("b", 10+d)
			_, err := Plan(Request{Files: more}, base, nothing, l)
			if d <= 0 && err != nil {
				t.Errorf("%d files: %v", l.Files+d, err)
			} else if d > 0 {
				refused(t, err, ErrTooLarge, fmt.Sprint(l.Files, " files"))
			}
		}
		_, err := Plan(Request{Files: numbered("a", l.Files+1)}, nil, nothing, l)
		refused(t, err, ErrTooLarge)
		_, err = Plan(Request{Files: numbered("a", 1), Delete: make([]string, l.Files+1)}, nil, nothing, l)
		refused(t, err, ErrTooLarge)
	}
}

func TestReleaseSizeCountsInheritedFiles(t *testing.T) {
	base := rows("a.mp4 1 31457280", "b.mp4 2 20971520") // 30 and 20 MiB
	for d := int64(-1); d <= 1; d++ {
		req := Request{Files: []File{{Path: "c.mp4", SHA256: sum("3"), Size: 10<<20 + d}}}
		_, err := Plan(req, base, nothing, Document)
		if d <= 0 && err != nil {
			t.Errorf("60 MiB%+d: %v", d, err)
		} else if d > 0 {
			refused(t, err, ErrTooLarge, "60 MiB")
		}
		if _, err := Plan(req, base, nothing, Folder); err != nil {
			t.Errorf("a site folder must be limited only by its quota: %v", err)
		}
	}
}

// numbered returns n small files with different contents.
func numbered(prefix string, n int) (files []File) {
	for i := range n {
		files = append(files, File{Path: fmt.Sprintf("%s%05d.txt", prefix, i), SHA256: fmt.Sprintf("%064x", i), Size: 1})
	}
	return files
}
