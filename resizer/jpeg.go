package resizer

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// JPEG markers used here.
const (
	jpegEOI  = 0xd9
	jpegSOS  = 0xda
	jpegAPP1 = 0xe1
)

// maxScans bounds the passes of a progressive file, each of which makes a decoder process
// the whole picture; ordinary files have about ten.
const maxScans = 100

// jpegSegments calls visit for each marker segment up to the start of the scan and returns
// where the scan begins, or -1 if the file ends before it.
func jpegSegments(file []byte, visit func(marker byte, payload []byte)) (scan int) {
	at := 2
	for at+4 <= len(file) {
		if file[at] != 0xff {
			return -1
		}
		marker := file[at+1]
		if marker == 0xff { // a fill byte before a marker
			at++
			continue
		}
		if marker == 0x01 || marker >= 0xd0 && marker <= 0xd8 { // markers without a payload
			at += 2
			continue
		}
		size := int(binary.BigEndian.Uint16(file[at+2:]))
		if size < 2 || at+2+size > len(file) {
			return -1
		}
		visit(marker, file[at+4:at+2+size])
		at += 2 + size
		if marker == jpegSOS {
			return at
		}
	}
	return -1
}

// isFrameHeader reports whether the marker is one of SOF0 to SOF15.
func isFrameHeader(marker byte) bool {
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
}

func inspectJPEG(file []byte) (Info, error) {
	info := Info{Format: JPEG, Frames: 1, Orientation: upright}
	frames, turned := 0, false
	scan := jpegSegments(file, func(marker byte, payload []byte) {
		switch {
		case isFrameHeader(marker) && len(payload) >= 6:
			frames++
			info.Height = int(binary.BigEndian.Uint16(payload[1:]))
			info.Width = int(binary.BigEndian.Uint16(payload[3:]))
		case marker == jpegAPP1 && !turned && bytes.HasPrefix(payload, []byte(exifPrefix)):
			info.Orientation, turned = exifOrientation(payload), true
		}
	})
	if frames != 1 {
		return Info{}, headerBroken(JPEG)
	}
	if scan >= 0 && bytes.Count(file[scan:], []byte{0xff, jpegSOS}) >= maxScans {
		return Info{}, fmt.Errorf("%w: jpeg of %d scans or more", ErrTooBig, maxScans)
	}
	return info, nil
}

// completeJPEG searches for the end marker after the start of the scan; thumbnails in EXIF
// data, which have one too, precede it.
func completeJPEG(file []byte) bool {
	scan := jpegSegments(file, func(byte, []byte) {})
	return scan >= 0 && bytes.LastIndex(file[scan:], []byte{0xff, jpegEOI}) >= 0
}
