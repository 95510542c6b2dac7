package resizer

import "encoding/binary"

const pngSignature = "\x89PNG\r\n\x1a\n"

// inspectPNG reads IHDR and the other relevant chunks, which precede or, for EXIF, may
// follow the pixels. An animated PNG counts as its first frame.
func inspectPNG(file []byte) (Info, error) {
	info := Info{Format: PNG, Frames: 1, Orientation: upright}
	at := len(pngSignature)
	for first := true; at+8 <= len(file); first = false {
		size := int64(binary.BigEndian.Uint32(file[at:]))
		kind := string(file[at+4 : at+8])
		end := int64(at+8) + size
		if first && (kind != "IHDR" || size != 13) || end > int64(len(file)) && (first || kind == "eXIf") {
			return Info{}, headerBroken(PNG)
		}
		switch kind {
		case "IHDR":
			info.Width = int(binary.BigEndian.Uint32(file[at+8:]))
			info.Height = int(binary.BigEndian.Uint32(file[at+12:]))
			info.Alpha = file[at+17]&4 != 0
		case "tRNS":
			info.Alpha = true
		case "eXIf":
			info.Orientation = exifOrientation(file[at+8 : end])
		}
		if end+4 > int64(len(file)) { // a CRC follows each chunk
			break
		}
		at = int(end) + 4
	}
	if info.Width == 0 {
		return Info{}, headerBroken(PNG)
	}
	return info, nil
}
