package media

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// sniffLength is how many bytes of a file are used to detect its type.
const sniffLength = 4096

// format is a detected type: its MIME type and the extension of the URL.
type format struct{ mime, ext string }

// audioContainers maps containers that can hold both video and audio to their audio type, for files
// announced as audio.
var audioContainers = map[string]format{
	"video/mp4":       {"audio/mp4", "m4a"},
	"video/webm":      {"audio/webm", "weba"},
	"application/ogg": {"audio/ogg", "ogg"},
}

// models are formats whose bytes look like plain text, an archive or unknown data. None of them
// can run in a browser.
var models = map[string]format{
	"obj": {"model/obj", "obj"}, "mtl": {"model/mtl", "mtl"}, "stl": {"model/stl", "stl"}, "ply": {"application/octet-stream", "ply"},
	"fbx": {"application/octet-stream", "fbx"}, "gltf": {"model/gltf+json", "gltf"}, "usdz": {"model/vnd.usdz+zip", "usdz"},
	"3mf": {"model/3mf", "3mf"}, "step": {"model/step", "step"}, "stp": {"model/step", "stp"},
}

// vague types are too general to override the extension of a name.
var vague = map[string]bool{
	"application/octet-stream": true, "application/zip": true, "application/json": true, "application/x-ole-storage": true,
	"text/plain": true, "text/xml": true,
}

// sniff detects the type of a file that was not announced as an image from its first bytes, and
// refuses bytes of another category. nameExt is the extension of the file's name; it only decides
// between types that the bytes do not distinguish.
func sniff(head []byte, kind, nameExt string) (mime, ext string, err error) {
	if kind == kindFile && bytes.HasPrefix(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), []byte("#!")) {
		return "text/plain; charset=utf-8", "txt", nil // a script is served as text, whatever its name
	}
	found := mimetype.Detect(head)
	got := format{found.String(), strings.TrimPrefix(found.Extension(), ".")}
	plain, _, _ := strings.Cut(got.mime, ";")
	fit := false
	switch kind {
	case kindVideo:
		fit = strings.HasPrefix(plain, "video/")
	case kindAudio:
		if sound, ok := audioContainers[plain]; ok {
			got, fit = sound, true
		} else {
			fit = strings.HasPrefix(plain, "audio/")
		}
	case kindModel:
		if named, ok := models[nameExt]; ok && vague[plain] {
			got, fit = named, true
		} else {
			fit = strings.HasPrefix(plain, "model/") || strings.Contains(plain, "3dmodel")
		}
	case kindFile:
		fit = true
		if vague[plain] && nameExt != "" {
			got.ext = nameExt
		}
	}
	if !fit {
		return "", "", ErrTypeMismatch.With("announced as " + kind + ", but the bytes are " + plain)
	}
	if got.ext == "" {
		got.ext = "bin"
	}
	return got.mime, got.ext, nil
}

const svgType = "image/svg+xml"

// isSVG reports whether a file is XML whose root element is svg. Entities are not expanded, and
// content after the root's start tag is not inspected, because an SVG is served inert.
func isSVG(file []byte) bool {
	file = bytes.TrimPrefix(file, []byte("\xef\xbb\xbf"))
	if trimmed := bytes.TrimLeft(file, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '<' {
		return false
	}
	d := xml.NewDecoder(bytes.NewReader(file))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		if start, ok := token.(xml.StartElement); ok {
			return start.Name.Local == "svg"
		}
	}
}
