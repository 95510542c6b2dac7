package movein

import (
	"net/url"
	"slices"
	"strings"
)

// addPictures adds the pictures of a row to its product.
func (e *engine) addPictures(f *format, d *draft, r *row) {
	position, _ := whole(r.text[picturePosition])
	texts := r.all(pictureAlts)
	if cell := r.text[pictureAlt]; cell != "" && len(texts) == 0 {
		texts = []string{cell}
	}
	n := 0
	for _, cell := range r.all(picture) {
		for _, one := range list(cell, f.pictureList) {
			alt := ""
			if n < len(texts) {
				alt = e.short(r.Place, line(unguard(texts[n])), maxText)
			}
			n++
			if found := e.address(f, r.Place, one); found != "" {
				e.addPicture(d, r.Place, placed{Picture{found, alt}, position})
			}
		}
	}
}

func (e *engine) addPicture(d *draft, at Place, p placed) {
	if slices.ContainsFunc(d.pictures, func(other placed) bool { return other.Address == p.Address }) {
		return
	}
	if len(d.pictures) >= maxPictures {
		e.lose(at, Changed, "PICTURES_TOO_MANY", p.Address)
		return
	}
	d.pictures = append(d.pictures, p)
}

// maxAddress bounds an address of a picture in bytes.
const maxAddress = 2000

// address reads the address of a picture; a relative one is below that of the old shop.
func (e *engine) address(f *format, at Place, cell string) string {
	cell = strings.ReplaceAll(code(unguard(cell)), " ", "%20")
	if cell == "" || cell == "no_selection" {
		return ""
	}
	if strings.HasPrefix(cell, "//") {
		cell = "https:" + cell
	}
	if !strings.Contains(cell, "://") && !strings.HasPrefix(cell, "data:") {
		base := f.pictures
		if !strings.Contains(base, "://") {
			site := e.site("Pictures have no full address.")
			if site == "" {
				e.lose(at, Changed, "PICTURE_RELATIVE", cell)
				return ""
			}
			base = site + base
		}
		cell = strings.TrimSuffix(base, "/") + "/" + strings.TrimPrefix(cell, "/")
	}
	u, err := url.Parse(cell)
	if err != nil || len(cell) > maxAddress || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		e.lose(at, Changed, "PICTURE_INVALID", cell)
		return ""
	}
	return cell
}

// site asks for the address of the old shop; it has no final slash and may be empty.
func (e *engine) site(why string) string {
	answer := strings.TrimSpace(e.ask("address", why+" What is the address of the old shop?", ""))
	if answer == "" {
		return ""
	}
	if !strings.Contains(answer, "://") {
		answer = "https://" + answer
	}
	u, err := url.Parse(answer)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		if e.wrong == nil {
			e.wrong = ErrChoice.With("address is the address of a website, such as https://shop.example")
		}
		return ""
	}
	return strings.TrimRight(answer, "/")
}
