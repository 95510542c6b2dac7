package resizer

import "encoding/binary"

// TIFF tags used here; EXIF data is a TIFF file too.
const (
	tagWidth        = 256
	tagHeight       = 257
	tagStripOffsets = 273
	tagOrientation  = 274
	tagStripSizes   = 279
	tagTileOffsets  = 324
	tagTileSizes    = 325
	tagExtraSamples = 338
)

// tiffFile reads numbers of either byte order; reads outside of the file return 0.
type tiffFile struct {
	bytes []byte
	order binary.ByteOrder
}

func openTIFF(b []byte) (tiffFile, bool) {
	switch {
	case len(b) < 8:
	case string(b[:4]) == "II*\x00":
		return tiffFile{b, binary.LittleEndian}, true
	case string(b[:4]) == "MM\x00*":
		return tiffFile{b, binary.BigEndian}, true
	}
	return tiffFile{}, false
}

func (t tiffFile) u16(at int64) int64 {
	if at < 0 || at+2 > int64(len(t.bytes)) {
		return 0
	}
	return int64(t.order.Uint16(t.bytes[at:]))
}

func (t tiffFile) u32(at int64) int64 {
	if at < 0 || at+4 > int64(len(t.bytes)) {
		return 0
	}
	return int64(t.order.Uint32(t.bytes[at:]))
}

// tiffField is one entry of a directory.
type tiffField struct {
	tag, kind, count int64
	at               int64 // offset of the values
	width            int64 // of one value, 0 for types other than integers
}

// directory reads the entries at an offset and the offset of the next directory; ok is
// false if they do not fit into the file.
func (t tiffFile) directory(at int64) (fields []tiffField, next int64, ok bool) {
	n := t.u16(at)
	if n == 0 || at+2+n*12+4 > int64(len(t.bytes)) {
		return nil, 0, false
	}
	for i := range n {
		entry := at + 2 + i*12
		f := tiffField{tag: t.u16(entry), kind: t.u16(entry + 2), count: t.u32(entry + 4), at: entry + 8}
		switch f.kind {
		case 1:
			f.width = 1
		case 3:
			f.width = 2
		case 4:
			f.width = 4
		}
		if f.width*f.count > 4 {
			f.at = t.u32(entry + 8)
		}
		fields = append(fields, f)
	}
	return fields, t.u32(at + 2 + n*12), true
}

// value reads one integer of a field.
func (t tiffFile) value(f tiffField, i int64) int64 {
	switch at := f.at + i*f.width; f.width {
	case 2:
		return t.u16(at)
	case 4:
		return t.u32(at)
	}
	return 0
}

func inspectTIFF(file []byte) (Info, error) {
	info := Info{Format: TIFF, Orientation: upright}
	t, ok := openTIFF(file)
	if !ok {
		return Info{}, headerBroken(TIFF)
	}
	fields, next, ok := t.directory(t.u32(4))
	if !ok {
		return Info{}, headerBroken(TIFF)
	}
	for _, f := range fields {
		switch f.tag {
		case tagWidth:
			info.Width = int(t.value(f, 0))
		case tagHeight:
			info.Height = int(t.value(f, 0))
		case tagOrientation:
			info.Orientation = orientation(t.value(f, 0))
		case tagExtraSamples:
			info.Alpha = f.count > 0
		}
	}
	// A cyclic chain ends at the limit.
	for info.Frames = 1; next != 0 && info.Frames <= MaxFrames; info.Frames++ {
		if _, next, ok = t.directory(next); !ok {
			break
		}
	}
	return info, nil
}

// completeTIFF checks that the strips or tiles of the first page end within the
// file. Their number is bounded by the file, since each takes at least a byte
// of the tables.
func completeTIFF(file []byte) bool {
	t, ok := openTIFF(file)
	if !ok {
		return false
	}
	fields, _, ok := t.directory(t.u32(4))
	if !ok {
		return false
	}
	var offsets, sizes tiffField
	for _, f := range fields {
		switch f.tag {
		case tagStripOffsets, tagTileOffsets:
			offsets = f
		case tagStripSizes, tagTileSizes:
			sizes = f
		}
	}
	length := int64(len(file))
	if offsets.width == 0 || offsets.at+offsets.count*offsets.width > length {
		return false
	}
	for i := range min(offsets.count, length) {
		size := int64(1)
		if i < sizes.count {
			size = t.value(sizes, i)
		}
		if t.value(offsets, i)+size > length {
			return false
		}
	}
	return true
}
