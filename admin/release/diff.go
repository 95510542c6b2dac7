package release

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	releasedb "vitrine/internal/store/release"
)

// Bounds of a comparison.
const (
	maxDiffFiles = 1000    // listed of each kind; the totals count all
	maxDiffText  = 1 << 20 // bytes of an index.html whose text is compared
	maxDiffLines = 400     // lines shown, removed and added together
	maxDiffLine  = 500     // characters of a line
)

type diffRequest struct {
	releasePath
	To shop.ReleaseID `query:"to" json:"-" doc:"the release to compare with; by default the live one"`
}

type diffFile struct {
	Path       string     `json:"path"`
	SizeBefore shop.Int64 `json:"size_before" doc:"in bytes; 0 for an added file"`
	Size       shop.Int64 `json:"size" doc:"in bytes; 0 for a removed file"`
}

type diffView struct {
	From          shop.ReleaseID `json:"from"`
	To            shop.ReleaseID `json:"to"`
	Added         []diffFile     `json:"added" doc:"files of to that from does not have, at most 1000"`
	Removed       []diffFile     `json:"removed" doc:"files of from that to does not have, at most 1000"`
	Changed       []diffFile     `json:"changed" doc:"files with other bytes, at most 1000"`
	AddedTotal    int            `json:"added_total"`
	RemovedTotal  int            `json:"removed_total"`
	ChangedTotal  int            `json:"changed_total"`
	Text          []diffLine     `json:"text" doc:"the lines of index.html from the first to the last one that differs, first those of from; empty if it is equal or larger than 1 MiB"`
	TextTruncated bool           `json:"text_truncated" doc:"true: text lacks lines, or index.html is too large to compare"`
}

// diffLine is a line that one of the releases has.
type diffLine struct {
	Sign string `json:"sign" enum:"-,+" doc:"-: only from has it; +: only to has it"`
	Line int    `json:"line" doc:"its number, from 1"`
	Text string `json:"text" doc:"at most 500 characters"`
}

// diff compares the files of two releases of a document.
func (h holderEndpoints) diff(ctx context.Context, c *api.Call, in diffRequest) (out api.Result[diffView], err error) {
	r := h.store.Shop(c.Company)
	d, err := h.found(ctx, r, in.ID)
	if err != nil {
		return out, err
	}
	v := &out.Result
	*v = diffView{From: in.Release, To: cmp.Or(in.To, d.Active), Added: []diffFile{}, Removed: []diffFile{}, Changed: []diffFile{}, Text: []diffLine{}}
	from, err := filesByPath(ctx, r, d.ID, v.From)
	if err != nil {
		return out, err
	}
	to, err := filesByPath(ctx, r, d.ID, v.To)
	if err != nil {
		return out, err
	}
	for path, f := range from {
		switch g, kept := to[path]; {
		case !kept:
			v.Removed = append(v.Removed, diffFile{path, shop.Int64(f.Size), 0})
		case f.SHA256 != g.SHA256:
			v.Changed = append(v.Changed, diffFile{path, shop.Int64(f.Size), shop.Int64(g.Size)})
		}
	}
	for path, g := range to {
		if _, had := from[path]; !had {
			v.Added = append(v.Added, diffFile{path, 0, shop.Int64(g.Size)})
		}
	}
	v.AddedTotal, v.RemovedTotal, v.ChangedTotal = len(v.Added), len(v.Removed), len(v.Changed)
	for _, list := range []*[]diffFile{&v.Added, &v.Removed, &v.Changed} {
		slices.SortFunc(*list, func(a, b diffFile) int { return cmp.Compare(a.Path, b.Path) })
		*list = (*list)[:min(len(*list), maxDiffFiles)]
	}
	return out, h.diffText(ctx, v, from["index.html"], to["index.html"])
}

// filesByPath returns the files of a retained release.
func filesByPath(ctx context.Context, r store.Reader, d shop.DocumentID, id shop.ReleaseID) (map[string]releasedb.ReleaseFile, error) {
	if _, err := releasedb.GetRelease(ctx, r, d, id); err != nil {
		return nil, err
	}
	list, err := releasedb.ReleaseFiles(ctx, r, id)
	files := make(map[string]releasedb.ReleaseFile, len(list))
	for _, f := range list {
		files[f.Path] = f
	}
	return files, err
}

// diffText compares the index.html of two releases, if both have its bytes.
func (h holderEndpoints) diffText(ctx context.Context, v *diffView, from, to releasedb.ReleaseFile) error {
	if from.SHA256 == to.SHA256 || from.Path == "" || to.Path == "" || from.Pending || to.Pending {
		return nil
	}
	if v.TextTruncated = from.Size > maxDiffText || to.Size > maxDiffText; v.TextTruncated {
		return nil
	}
	before, err := h.blobs.ReadAll(ctx, from.SHA256, maxDiffText)
	if err != nil {
		return err
	}
	after, err := h.blobs.ReadAll(ctx, to.SHA256, maxDiffText)
	if err == nil {
		v.Text, v.TextTruncated = differingLines(before, after)
	}
	return err
}

// differingLines returns the lines between the common beginning and the common end of two texts.
// It costs one pass over them, whatever they are.
func differingLines(before, after []byte) (lines []diffLine, truncated bool) {
	a, b := bytes.Split(before, []byte("\n")), bytes.Split(after, []byte("\n"))
	start := 0
	for start < len(a) && start < len(b) && bytes.Equal(a[start], b[start]) {
		start++
	}
	same := 0
	for same < len(a)-start && same < len(b)-start && bytes.Equal(a[len(a)-1-same], b[len(b)-1-same]) {
		same++
	}
	lines = []diffLine{}
	for _, side := range []struct {
		sign string
		text [][]byte
	}{{"-", a[start : len(a)-same]}, {"+", b[start : len(b)-same]}} {
		for i, line := range side.text {
			if i == maxDiffLines/2 {
				truncated = true
				break
			}
			text := string(bytes.ToValidUTF8(bytes.TrimSuffix(line, []byte("\r")), []byte("\uFFFD")))
			truncated = truncated || utf8.RuneCountInString(text) > maxDiffLine
			lines = append(lines, diffLine{side.sign, start + i + 1, shop.Clip(text, maxDiffLine)})
		}
	}
	return lines, truncated
}
