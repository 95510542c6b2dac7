package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// sameColour is the difference of channels up to which pixels count as equal: it covers font
// smoothing and picture scaling.
const sameColour = 26

// differing is the share of differing pixels of two pictures of a page; rows of only the
// taller one count as differing.
func differing(t testing.TB, before, after []byte) float64 {
	t.Helper()
	a, b := decodePicture(t, before), decodePicture(t, after)
	size := a.Bounds().Union(b.Bounds())
	differ := 0
	for y := range size.Dy() {
		for x := range size.Dx() {
			at := image.Pt(x, y)
			if !at.In(a.Bounds()) || !at.In(b.Bounds()) || !alike(a.At(x, y), b.At(x, y)) {
				differ++
			}
		}
	}
	return float64(differ) / float64(size.Dx()*size.Dy())
}

func decodePicture(t testing.TB, data []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func alike(a, b color.Color) bool { return within(a, b, sameColour) }

// within reports whether no channels of two colours differ by more than most, of 255.
func within(a, b color.Color, most int) bool {
	r1, g1, b1, _ := a.RGBA()
	r2, g2, b2, _ := b.RGBA()
	for _, d := range [...]int{int(r1>>8) - int(r2>>8), int(g1>>8) - int(g2>>8), int(b1>>8) - int(b2>>8)} {
		if d > most || d < -most {
			return false
		}
	}
	return true
}

// keepPicture writes a picture into the folder VITRINE_TEST_SHOTS, if set.
func keepPicture(t testing.TB, name string, data []byte) {
	t.Helper()
	dir := os.Getenv("VITRINE_TEST_SHOTS")
	if dir == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
		t.Error(err)
	}
}
