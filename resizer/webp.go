package resizer

import "encoding/binary"

// webpChunks calls visit for each chunk that begins in the file; the payload is truncated
// at the end of the file.
func webpChunks(file []byte, visit func(kind string, payload []byte) (more bool)) {
	for at := int64(12); at+8 <= int64(len(file)); {
		size := int64(binary.LittleEndian.Uint32(file[at+4:]))
		end := min(at+8+size, int64(len(file)))
		if !visit(string(file[at:at+4]), file[at+8:end]) {
			return
		}
		at += 8 + size + size&1
	}
}

// inspectWebP reads all three kinds: VP8 (lossy), VP8L (lossless) and VP8X, the
// extended one that may hold an animation.
func inspectWebP(file []byte) (Info, error) {
	info := Info{Format: WebP, Orientation: upright}
	extended, pictures := false, 0
	webpChunks(file, func(kind string, p []byte) bool {
		switch {
		case kind == "VP8X" && len(p) >= 10 && info.Width == 0:
			extended = true
			info.Alpha = p[0]&webpAlpha != 0
			info.Width, info.Height = 1+uint24(p[4:]), 1+uint24(p[7:])
		case kind == "VP8 " && len(p) >= 10 && string(p[3:6]) == "\x9d\x01\x2a":
			pictures++
			if !extended {
				info.Width = int(binary.LittleEndian.Uint16(p[6:]) & 0x3fff)
				info.Height = int(binary.LittleEndian.Uint16(p[8:]) & 0x3fff)
			}
		case kind == "VP8L" && len(p) >= 5 && p[0] == 0x2f:
			pictures++
			if bits := binary.LittleEndian.Uint32(p[1:]); !extended {
				info.Width, info.Height = 1+int(bits&0x3fff), 1+int(bits>>14&0x3fff)
				info.Alpha = bits>>28&1 != 0
			}
		case kind == "ANMF":
			info.Frames++
		case kind == "EXIF":
			info.Orientation = exifOrientation(p)
		}
		return info.Frames <= MaxFrames
	})
	if info.Width == 0 || pictures+info.Frames == 0 {
		return Info{}, headerBroken(WebP)
	}
	info.Frames = max(info.Frames, 1)
	return info, nil
}

// completeWebP compares the length in the header with the file. Some encoders omit the last
// padding byte.
func completeWebP(file []byte) bool {
	return len(file) >= 12 && int64(binary.LittleEndian.Uint32(file[4:]))+8 <= int64(len(file))+1
}

// Flags of the extended header.
const (
	webpAlpha     = 0x10
	webpAnimation = 0x02
)

// stripMetadata returns a copy of a well-formed WebP file without profile, EXIF and XMP: a
// variant is upright and sRGB, and the location of a photo must not be published. (libvips
// 8.14 writes them whatever options are set.) A still picture without alpha needs no
// extended header either.
func stripMetadata(file []byte) []byte {
	out := make([]byte, 12, len(file))
	copy(out, file[:12])
	webpChunks(file, func(kind string, payload []byte) bool {
		switch kind {
		case "ICCP", "EXIF", "XMP ":
			return true
		case "VP8X":
			if payload[0]&(webpAlpha|webpAnimation) == 0 {
				return true
			}
		}
		at := len(out)
		out = append(out, kind...)
		out = binary.LittleEndian.AppendUint32(out, uint32(len(payload)))
		out = append(out, payload...)
		if kind == "VP8X" {
			out[at+8] &= webpAlpha | webpAnimation
		}
		if len(payload)%2 != 0 {
			out = append(out, 0)
		}
		return true
	})
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
