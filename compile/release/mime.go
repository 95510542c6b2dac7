package release

import "strings"

// Unknown is the content type of a file whose name does not determine it.
const Unknown = "application/octet-stream"

// types maps extensions to content types. Text is declared as UTF-8; a site in another charset
// must be sent without the parameter, which would otherwise override its own meta element.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".htm": "text/html; charset=utf-8", ".xhtml": "application/xhtml+xml",
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8", ".cjs": "text/javascript; charset=utf-8",
	".json": "application/json", ".map": "application/json", ".jsonld": "application/ld+json", ".geojson": "application/geo+json",
	".webmanifest": "application/manifest+json", ".wasm": "application/wasm",
	".txt": "text/plain; charset=utf-8", ".md": "text/markdown; charset=utf-8", ".csv": "text/csv; charset=utf-8",
	".vtt": "text/vtt; charset=utf-8", ".ics": "text/calendar; charset=utf-8", ".vcf": "text/vcard; charset=utf-8",
	".xml": "application/xml", ".xsl": "application/xslt+xml", ".rss": "application/rss+xml", ".atom": "application/atom+xml",
	".yml": "application/yaml", ".yaml": "application/yaml",

	".svg": "image/svg+xml", ".ico": "image/x-icon", ".png": "image/png", ".apng": "image/apng", ".jpg": "image/jpeg",
	".jpeg": "image/jpeg", ".jfif": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif",
	".jxl": "image/jxl", ".bmp": "image/bmp", ".tif": "image/tiff", ".tiff": "image/tiff", ".heic": "image/heic",

	".woff": "font/woff", ".woff2": "font/woff2", ".ttf": "font/ttf", ".otf": "font/otf", ".ttc": "font/collection",
	".eot": "application/vnd.ms-fontobject",

	".mp4": "video/mp4", ".m4v": "video/mp4", ".webm": "video/webm", ".ogv": "video/ogg", ".mov": "video/quicktime",
	".m3u8": "application/vnd.apple.mpegurl", ".ts": "video/mp2t",
	".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".aac": "audio/aac", ".ogg": "audio/ogg", ".oga": "audio/ogg",
	".opus": "audio/ogg", ".wav": "audio/wav", ".flac": "audio/flac",

	".pdf": "application/pdf", ".zip": "application/zip", ".gz": "application/gzip", ".rtf": "application/rtf",
	".epub": "application/epub+zip", ".glb": "model/gltf-binary", ".gltf": "model/gltf+json",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}

// MIME returns the content type that a file is served with, by its extension in any case, or
// application/octet-stream for unknown extensions. Files of a saved website can be named after
// their whole address, such as jquery.js?ver=3.6 or menu.js@e: then the part before the mark
// determines the type.
func MIME(path string) string {
	name := base(path)
	if at := strings.IndexAny(name, "?@"); at > 0 {
		if t := types[extension(name[:at])]; t != "" {
			return t
		}
	}
	if t := types[extension(path)]; t != "" {
		return t
	}
	return Unknown
}

// Compressible reports whether brotli or gzip make a content type smaller; images, woff fonts,
// videos and archives are already compressed.
func Compressible(mime string) bool {
	mime, _, _ = strings.Cut(mime, ";")
	switch mime {
	case "application/json", "application/javascript", "application/xml", "application/wasm", "application/yaml", "application/rtf",
		"application/vnd.ms-fontobject", "application/vnd.apple.mpegurl", "font/ttf", "font/otf", "font/collection",
		"image/x-icon", "image/bmp", "model/gltf-binary":
		return true
	}
	return strings.HasPrefix(mime, "text/") || strings.HasSuffix(mime, "+xml") || strings.HasSuffix(mime, "+json")
}
