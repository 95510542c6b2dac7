package media

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// sniffed is how many bytes of a file are looked at to tell its type.
const sniffed = 4096

// format is a type of bytes: how it is served and how its address ends.
type format struct{ mime, ext string }

// soundOnly are containers that hold films and sounds alike, as what they are
// when they were announced as audio.
var soundOnly = map[string]format{
	"video/mp4":       {"audio/mp4", "m4a"},
	"video/webm":      {"audio/webm", "weba"},
	"application/ogg": {"audio/ogg", "ogg"},
}

// models are formats that their bytes do not tell apart from plain text, from
// any archive or from nothing known. None of them runs in a browser.
var models = map[string]format{
	"obj": {"model/obj", "obj"}, "mtl": {"model/mtl", "mtl"}, "stl": {"model/stl", "stl"}, "ply": {"application/octet-stream", "ply"},
	"fbx": {"application/octet-stream", "fbx"}, "gltf": {"model/gltf+json", "gltf"}, "usdz": {"model/vnd.usdz+zip", "usdz"},
	"3mf": {"model/3mf", "3mf"}, "step": {"model/step", "step"}, "stp": {"model/step", "stp"},
}

// vague types say too little to overrule the extension of a name.
var vague = map[string]bool{
	"application/octet-stream": true, "application/zip": true, "application/json": true, "application/x-ole-storage": true,
	"text/plain": true, "text/xml": true,
}

// sniff tells the type of a file that is no announced image from its first
// bytes, and refuses bytes of another category. nameExt is the extension of the
// file's name; it decides only between types that the bytes leave open.
func sniff(head []byte, kind, nameExt string) (mime, ext string, err error) {
	if kind == kindFile && bytes.HasPrefix(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), []byte("#!")) {
		return "text/plain; charset=utf-8", "txt", nil // a program for a shell is a text here, whatever its name
	}
	found := mimetype.Detect(head)
	got := format{found.String(), strings.TrimPrefix(found.Extension(), ".")}
	plain, _, _ := strings.Cut(got.mime, ";")
	fit := false
	switch kind {
	case kindVideo:
		fit = strings.HasPrefix(plain, "video/")
	case kindAudio:
		if sound, ok := soundOnly[plain]; ok {
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

// isSVG reports whether a file is XML whose root element is svg. Nothing is
// expanded, and what comes after the root's start is not looked at: an SVG is
// served inert.
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
