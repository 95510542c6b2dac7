package resizer

import "encoding/binary"

// inspectGIF walks the blocks of a GIF without decoding them. whole is true if the file
// ends with its trailer or, as some encoders write it, exactly after a block.
func inspectGIF(file []byte) (info Info, whole bool, err error) {
	const screen = 13
	if len(file) < screen {
		return Info{}, false, headerBroken(GIF)
	}
	info = Info{
		Format: GIF, Orientation: upright,
		Width: int(binary.LittleEndian.Uint16(file[6:])), Height: int(binary.LittleEndian.Uint16(file[8:])),
	}
	at := screen + gifTable(file[10])
	for at < len(file) && info.Frames <= MaxFrames {
		switch file[at] {
		case ';':
			at, whole = len(file), true
			continue
		case '!':
			if at+4 < len(file) && file[at+1] == 0xf9 && file[at+3]&1 != 0 {
				info.Alpha = true
			}
			at = gifSkip(file, at+2)
		case ',':
			if at+10 > len(file) {
				return info, false, gifFrameless(info)
			}
			if info.Width == 0 || info.Height == 0 { // the first frame is the screen
				info.Width = int(binary.LittleEndian.Uint16(file[at+5:]))
				info.Height = int(binary.LittleEndian.Uint16(file[at+7:]))
			}
			info.Frames++
			at = gifSkip(file, at+10+gifTable(file[at+9])+1)
		default: // trailing garbage after the last block: decoders stop here too
			return info, info.Frames > 0, gifFrameless(info)
		}
	}
	return info, whole || at == len(file), gifFrameless(info)
}

func gifFrameless(info Info) error {
	if info.Frames == 0 {
		return headerBroken(GIF)
	}
	return nil
}

// gifTable is the length of the colour table declared by a packed field.
func gifTable(packed byte) int {
	if packed&0x80 == 0 {
		return 0
	}
	return 3 << (packed&7 + 1)
}

// gifSkip returns the end of a chain of sub-blocks, beyond the file if it is truncated.
func gifSkip(file []byte, at int) int {
	for at < len(file) {
		size := int(file[at])
		at += 1 + size
		if size == 0 {
			return at
		}
	}
	return len(file) + 1
}
