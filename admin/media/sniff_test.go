package media

import (
	"errors"
	"strings"
	"testing"
)

// Beginnings of files.
const (
	mp4  = "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom\x00\x00\x00\x08free"
	m4a  = "\x00\x00\x00\x18ftypM4A \x00\x00\x00\x00M4A isom\x00\x00\x00\x08free"
	mp3  = "ID3\x03\x00\x00\x00\x00\x00\x0a"
	ogg  = "OggS\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00"
	wav  = "RIFF\x24\x00\x00\x00WAVEfmt "
	glb  = "glTF\x02\x00\x00\x00\x10\x00\x00\x00"
	pdf  = "%PDF-1.7\n"
	png  = "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"
	html = "<!DOCTYPE html><title>x</title>"
	zip  = "PK\x03\x04\x14\x00\x00\x00\x00\x00"
)

func TestTypesComeFromTheBytes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, head, kind, ext string
		mime, end             string // empty: refused
	}{
		{"film", mp4, kindVideo, "", "video/mp4", "mp4"},
		{"video with a picture's name", mp4, kindVideo, "png", "video/mp4", "mp4"},
		{"sound", m4a, kindAudio, "m4a", "audio/x-m4a", "m4a"},
		{"audio in a video container", mp4, kindAudio, "m4a", "audio/mp4", "m4a"},
		{"mp3", mp3, kindAudio, "mp3", "audio/mpeg", "mp3"},
		{"ogg", ogg, kindAudio, "ogg", "audio/ogg", "ogg"},
		{"wav", wav, kindAudio, "wav", "audio/wav", "wav"},
		{"model", glb, kindModel, "glb", "model/gltf-binary", "glb"},
		{"model in text", "v 0.1 0.2 0.3\nf 1 2 3\n", kindModel, "obj", "model/obj", "obj"},
		{"model in an archive", zip, kindModel, "usdz", "model/vnd.usdz+zip", "usdz"},
		{"document", pdf, kindFile, "pdf", "application/pdf", "pdf"},
		{"document with another name", pdf, kindFile, "exe", "application/pdf", "pdf"},
		{"archive by its name", zip, kindFile, "docx", "application/zip", "docx"},
		{"table", "a;b\n1;2\n", kindFile, "csv", "text/plain; charset=utf-8", "csv"},
		{"unknown data", "\x00\x01\x02\x03", kindFile, "", "application/octet-stream", "bin"},
		{"page", html, kindFile, "txt", "text/html; charset=utf-8", "html"},
		{"picture as a file", png, kindFile, "png", "image/png", "png"},
		{"shell script", "#!/bin/sh\nrm -r /", kindFile, "sh", "text/plain; charset=utf-8", "txt"},
		{"script named as HTML", "#!/usr/bin/env node\n<script>", kindFile, "html", "text/plain; charset=utf-8", "txt"},
		{"script after a byte order mark", "\xef\xbb\xbf#!/usr/bin/python", kindFile, "", "text/plain; charset=utf-8", "txt"},

		{"HTML as a video", html, kindVideo, "mp4", "", ""},
		{"picture as a video", png, kindVideo, "mp4", "", ""},
		{"audio as a video", mp3, kindVideo, "mp4", "", ""},
		{"HTML as audio", html, kindAudio, "mp3", "", ""},
		{"HTML as a model", html, kindModel, "obj", "", ""},
		{"text as a model of an unknown kind", "hello", kindModel, "doc", "", ""},
		{"picture as a model", png, kindModel, "glb", "", ""},
	} {
		mime, end, err := sniff([]byte(c.head), c.kind, c.ext)
		if c.mime == "" {
			if !errors.Is(err, ErrTypeMismatch) {
				t.Errorf("%s: %s, %v; want a refusal", c.name, mime, err)
			}
			continue
		}
		if err != nil || mime != c.mime || end != c.end {
			t.Errorf("%s: %s %s, %v; want %s %s", c.name, mime, end, err, c.mime, c.end)
		}
	}
}

func TestSVGIsXMLWithItsRoot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file string
		want bool
	}{
		{`<svg xmlns="http://www.w3.org/2000/svg"/>`, true},
		{"\xef\xbb\xbf\n<?xml version=\"1.0\" encoding=\"windows-1251\"?><!-- x --><!DOCTYPE svg [<!ENTITY a \"b\">]>\n<svg></svg>", true},
		{`<s:svg xmlns:s="http://www.w3.org/2000/svg"/>`, true},
		{`<html><svg/></html>`, false}, {`hello <svg/>`, false}, {`<!-- <svg> -->`, false}, {`<svg`, false}, {``, false}, {` `, false},
		{`<?xml version="1.0"?><html><body><svg></svg>`, false}, {"\x00<svg/>", false}, {`<a><b><svg/>`, false},
	} {
		if got := isSVG([]byte(c.file)); got != c.want {
			t.Errorf("%q: %v", c.file, got)
		}
	}
}

func FuzzSniff(f *testing.F) {
	for _, head := range []string{mp4, m4a, mp3, ogg, wav, glb, pdf, png, html, zip, `<svg/>`} {
		f.Add([]byte(head), "obj")
	}
	f.Fuzz(func(t *testing.T, head []byte, ext string) {
		isSVG(head)
		for _, kind := range kinds {
			mime, end, err := sniff(head, kind, extension("a."+ext))
			if err == nil && (mime == "" || end == "" || strings.ContainsAny(end, "/.")) {
				t.Errorf("%s: %q %q", kind, mime, end)
			}
			if err == nil && kind != kindFile && strings.Contains(mime, "html") {
				t.Errorf("%s is served as %q", kind, mime)
			}
		}
	})
}
