package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"slices"
)

// Item is one thing of a still life.
type Item struct {
	Model  string  `json:"model"`  // a name of models
	Colour string  `json:"colour"` // of its body
	Accent string  `json:"accent"` // of its second part or pattern
	Finish string  `json:"finish"` // one of finishes
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

// quality is high: the shop makes its own, smaller pictures from these.
const quality = 95

// JPEG draws the still. The same still gives the same bytes.
func (p *Painter) JPEG(s Still) ([]byte, error) {
	img, err := p.Draw(s)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = jpeg.Encode(&out, img, &jpeg.Options{Quality: quality})
	return out.Bytes(), err
}

// Draw makes the picture.
func (p *Painter) Draw(s Still) (*image.RGBA, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	parts := s.placed()
	fill := s.Fill
	if fill == 0 {
		fill = .62
	}
	wide := fill
	if s.Width > s.Height {
		wide = min(fill*1.12, .86)
	}
	cam := fitted(parts, s.Pitch, s.Width, s.Height, wide, fill, s.Sink)
	return newFrame(p, s.Width, s.Height, newStudio(backdrops[s.Set], cam, parts), parts).paint(), nil
}

// check finds names that nothing goes by.
func (s Still) check() error {
	if _, ok := backdrops[s.Set]; !ok {
		return fmt.Errorf("picture: no set %q", s.Set)
	}
	if len(s.Items) == 0 || s.Width < 1 || s.Height < 1 {
		return errors.New("picture: nothing to draw")
	}
	for _, it := range s.Items {
		if _, ok := models[it.Model]; !ok {
			return fmt.Errorf("picture: no model %q", it.Model)
		}
		for _, name := range []string{it.Colour, it.Accent} {
			if _, ok := colours[name]; !ok && name != "" {
				return fmt.Errorf("picture: no colour %q", name)
			}
		}
		if !slices.Contains(finishes, it.Finish) {
			return fmt.Errorf("picture: no finish %q", it.Finish)
		}
	}
	return nil
}

// placed are the things where they stand.
func (s Still) placed() (parts model) {
	for _, it := range s.Items {
		m := models[it.Model](it)
		if it.Lean != 0 {
			m = m.tipped(it.Lean)
		}
		if it.Size != 0 {
			m = m.scaled(it.Size)
		}
		parts = append(parts, m.moved(it.Turn, vec{it.X, it.Y, it.Z})...)
	}
	return parts
}
