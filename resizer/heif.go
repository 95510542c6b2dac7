package resizer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// The brands by which a HEIF file says how its pictures are compressed. A file with none of them,
// such as a video, is no picture.
var (
	avifBrands = []string{"avif", "avis"}
	heicBrands = []string{"heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"}
)

// detectHEIF reads the brands of the first box, of which the first is the major one.
func detectHEIF(head []byte) Format {
	if len(head) < 12 || string(head[4:8]) != "ftyp" {
		return ""
	}
	end := min(int64(binary.BigEndian.Uint32(head)), int64(len(head)), 512)
	for _, brand := range brandsOf(head[8:max(end, 12)]) {
		switch {
		case slices.Contains(avifBrands, brand):
			return AVIF
		case slices.Contains(heicBrands, brand):
			return HEIC
		}
	}
	return ""
}

// brandsOf lists the brands of an ftyp box; the four bytes after the first are its version.
func brandsOf(payload []byte) (brands []string) {
	for at := 0; at+4 <= len(payload); at += 4 {
		if at != 4 {
			brands = append(brands, string(payload[at:at+4]))
		}
	}
	return brands
}

// heifBoxes calls visit for each box of a list; the payload is truncated at the end of the list. It
// returns false if a box does not end within it.
func heifBoxes(list []byte, visit func(kind string, payload []byte)) (whole bool) {
	for at := int64(0); at < int64(len(list)); {
		rest := list[at:]
		if len(rest) < 8 {
			return false
		}
		size, header := int64(binary.BigEndian.Uint32(rest)), int64(8)
		switch {
		case size == 0: // to the end
			size = int64(len(rest))
		case size == 1 && len(rest) >= 16:
			size, header = int64(binary.BigEndian.Uint64(rest[8:])), 16
		}
		if size < header {
			return false
		}
		end := min(size, int64(len(rest)))
		visit(string(rest[4:8]), rest[min(header, end):end])
		if size > int64(len(rest)) {
			return false
		}
		at += size
	}
	return true
}

// heifMeta is what the meta box says about the pictures of a file.
type heifMeta struct {
	primary    uint32
	properties []heifProperty
	of         []byte // the associations of items with properties
	alpha      bool
}

type heifProperty struct {
	kind    string
	payload []byte
}

// maxProperties is far above what cameras write: one for each kind of property and picture.
const maxProperties = 4096

// inspectHEIF reads the size of the primary picture, which is the one that is shown. The largest of
// the sizes in the file counts against the limits, because a decoder may need others as well. The
// rotation is one of the format, which the decoder applies: EXIF does not count.
func inspectHEIF(file []byte, format Format) (Info, error) {
	var m heifMeta
	heifBoxes(file, func(kind string, payload []byte) {
		if kind == "meta" && len(payload) > 4 && m.properties == nil {
			m.read(payload[4:])
		}
	})
	info := Info{Format: format, Frames: 1, Alpha: m.alpha, Orientation: upright}
	most := int64(0)
	for _, p := range m.properties {
		if w, h, ok := p.size(); ok {
			most = max(most, int64(w)*int64(h))
		}
	}
	turned := false
	for _, n := range m.propertiesOf(m.primary) {
		if n < 1 || n > len(m.properties) {
			continue
		}
		p := m.properties[n-1]
		if w, h, ok := p.size(); ok {
			info.Width, info.Height = w, h
		}
		if p.kind == "irot" && len(p.payload) > 0 {
			turned = p.payload[0]&1 != 0
		}
	}
	switch {
	case len(m.properties) > maxProperties, info.Width <= 0 || info.Height <= 0:
		return Info{}, headerBroken(format)
	case most > MaxPixels:
		return Info{}, fmt.Errorf("%w: %s with a picture of %d pixels", ErrTooBig, format, most)
	}
	if turned {
		info.Width, info.Height = info.Height, info.Width
	}
	return info, nil
}

func (m *heifMeta) read(payload []byte) {
	heifBoxes(payload, func(kind string, p []byte) {
		switch {
		case kind == "pitm" && len(p) >= 6 && p[0] == 0:
			m.primary = uint32(binary.BigEndian.Uint16(p[4:]))
		case kind == "pitm" && len(p) >= 8:
			m.primary = binary.BigEndian.Uint32(p[4:])
		case kind == "iprp":
			heifBoxes(p, func(kind string, p []byte) {
				switch kind {
				case "ipco":
					heifBoxes(p, func(kind string, p []byte) {
						if len(m.properties) <= maxProperties {
							m.properties = append(m.properties, heifProperty{kind, p})
						}
						m.alpha = m.alpha || kind == "auxC" && bytes.Contains(p, []byte("auxiliary:alpha"))
					})
				case "ipma":
					m.of = p
				}
			})
		}
	})
}

// size reads a property that is the size of a picture.
func (p heifProperty) size() (width, height int, ok bool) {
	if p.kind != "ispe" || len(p.payload) < 12 {
		return 0, 0, false
	}
	const most = 1 << 30
	return int(min(binary.BigEndian.Uint32(p.payload[4:]), most)), int(min(binary.BigEndian.Uint32(p.payload[8:]), most)), true
}

// propertiesOf lists the properties of an item, counted from 1.
func (m *heifMeta) propertiesOf(item uint32) (numbers []int) {
	b := m.of
	if len(b) < 8 {
		return nil
	}
	long, wide := b[0] > 0, b[3]&1 != 0 // ids of 4 bytes, numbers of 2
	b = b[8:]
	take := func(n int) (v uint32) {
		if len(b) < n {
			b = nil
			return 0
		}
		for _, x := range b[:n] {
			v = v<<8 | uint32(x)
		}
		b = b[n:]
		return v
	}
	for len(b) > 0 {
		id := take(2)
		if long {
			id = id<<16 | take(2)
		}
		for range take(1) {
			number := take(1) & 0x7f
			if wide {
				number = number<<8 | take(1)
			}
			if id == item {
				numbers = append(numbers, int(number))
			}
		}
	}
	return numbers
}

// completeHEIF reports whether all boxes of the file are there in full.
func completeHEIF(file []byte) bool { return heifBoxes(file, func(string, []byte) {}) }
