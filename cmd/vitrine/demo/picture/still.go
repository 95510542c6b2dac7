package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
)

// Item is one thing of a still life.
type Item struct {
	Model  string  `json:"model"`  // a name of Models
	Colour string  `json:"colour"` // of its body
	Accent string  `json:"accent"` // of its second part or pattern
	Finish string  `json:"finish"` // "", matte, speckled, dipped, banded, …: see finished
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Z      float64 `json:"z"`
	Turn   float64 `json:"turn"`
	Lean   float64 `json:"lean"`
	Size   float64 `json:"size"` // 0 is 1
}

// Still is a picture to be drawn.
type Still struct {
	Items         []Item
	Set           string  // a name of backdrops
	Pitch         float64 // how far the camera looks down
	Width, Height int
	Fill          float64 // share of the picture that the things take up; 0 is 0.62
	Sink          float64 // how far below the middle they stand, as a share of the height
}

// Painter draws stills one after another and keeps its large buffers between
// them. The zero value is ready; a Painter serves one goroutine.
type Painter struct {
	solid, glass *view
}

// JPEG draws the still. The same still gives the same bytes.
func (p *Painter) JPEG(s Still) ([]byte, error) {
	img, err := p.Draw(s)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = jpeg.Encode(&out, img, &jpeg.Options{Quality: 86})
	return out.Bytes(), err
}

// Draw makes the picture.
func (p *Painter) Draw(s Still) (*image.RGBA, error) {
	parts, err := s.placed()
	if err != nil {
		return nil, err
	}
	fill := s.Fill
	if fill == 0 {
		fill = .62
	}
	wide := fill
	if s.Width > s.Height {
		wide = min(fill*1.12, .86)
	}
	cam := fitted(parts, s.Pitch, s.Width, s.Height, wide, fill, s.Sink)
	return newFrame(p, s.Width, s.Height, newStudio(set(s.Set), cam, parts), parts).paint(), nil
}

func (s Still) placed() (parts model, err error) {
	for _, it := range s.Items {
		build, ok := models[it.Model]
		if !ok {
			return nil, fmt.Errorf("picture: no model %q", it.Model)
		}
		m := build(it)
		if it.Lean != 0 {
			m = m.tipped(it.Lean)
		}
		if it.Size != 0 {
			m = m.scaled(it.Size)
		}
		parts = append(parts, m.moved(it.Turn, vec{it.X, it.Y, it.Z})...)
	}
	if len(parts) == 0 || s.Width < 1 || s.Height < 1 {
		return nil, fmt.Errorf("picture: nothing to draw")
	}
	return parts, nil
}
