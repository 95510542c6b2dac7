package push

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/shop"
)

// Frame is what stands around a website on its page.
type Frame struct {
	Bare       bool   // the page has neither the shop's header nor its footer
	Menu       string // what the page is called in the menu; empty: by the document's title
	NoMenu     bool   // the menu leaves the page out
	ShortTitle bool   // the title goes to the page without the author's suffix: "Tea | Studio" as "Tea"
}

var (
	errFrame = errors.New("--bare, --menu, --no-menu and --short-title say how a page is framed: they go with page:/slug")
	errMenu  = errors.New("--menu names the page in the menu that --no-menu leaves it out of")
)

func (f Frame) check(to Target) error {
	switch {
	case f != Frame{} && to.kind != page:
		return errFrame
	case f.Menu != "" && f.NoMenu:
		return errMenu
	}
	return nil
}

// separators are what authors put between the name of a page and that of their website.
var separators = []string{" | ", " - ", " – ", " — ", " · ", " • ", " :: ", " » "}

// withoutSuffix is a title up to the last separator in it; one that has none stays.
func withoutSuffix(title string) string {
	last := -1
	for _, s := range separators {
		last = max(last, strings.LastIndex(title, s))
	}
	if last < 1 {
		return title
	}
	return strings.TrimSpace(title[:last])
}

// longestMenu is how many characters fit into a menu beside other names.
const longestMenu = 32

// menuName is what a menu calls a page with that title. One that does not fit is cut
// at the first separator; what is still too long gives way to the word of the address.
func menuName(title, path string) string {
	fits := func(name string) bool { return utf8.RuneCountInString(name) <= longestMenu }
	name := title
	for _, s := range separators {
		if before, _, _ := strings.Cut(name, s); !fits(title) && strings.TrimSpace(before) != "" {
			name = strings.TrimSpace(before)
		}
	}
	parts := segments(path)
	if fits(name) || len(parts) == 0 {
		return name
	}
	word := []rune(strings.ReplaceAll(parts[len(parts)-1], "-", " "))
	return string(unicode.ToUpper(word[0])) + string(word[1:])
}

// fresh is the fields of a page that is made for a document with that title.
func (f Frame) fresh(title, path string) (name string, page, seo object) {
	name, page, seo = menuName(title, path), object{}, object{}
	if f.ShortTitle {
		name = withoutSuffix(title)
		seo["meta_title"] = name
	}
	if f.Menu != "" {
		name = shorten(f.Menu)
	}
	if f.NoMenu {
		page["is_show_menu"] = false
	}
	return name, page, seo
}

// flags are those of the manifest __page:top.
func (f Frame) flags() object {
	if !f.Bare {
		return object{}
	}
	return object{"hideSiteHeader": true, "hideSiteFooter": true}
}

// reframe changes a page that is there already; what the push does not mention stays.
func (p *pusher) reframe(ctx context.Context, at found) error {
	f := p.options.Frame
	item := object{}
	if f.Menu != "" {
		item["name"], item["is_show_menu"] = shorten(f.Menu), true
	}
	if f.NoMenu {
		item["is_show_menu"] = false
	}
	if f.ShortTitle && p.options.SEOOverwrite {
		seo, err := p.shortened(ctx, at.Result.ID)
		if err != nil {
			return err
		}
		item["seo"] = seo
	}
	if len(item) > 0 {
		id := at.Result.ID
		if err := p.client.set(ctx, "PUT", "/categories/"+id.String(), object{"id": id, "item": item}, nil); err != nil {
			return err
		}
	}
	if f.Bare {
		return p.strip(ctx, at)
	}
	return nil
}

// shortened is the page's seo with the title that publishing has just put there cut.
func (p *pusher) shortened(ctx context.Context, id shop.CategoryID) (object, error) {
	var now struct {
		Result struct {
			SEO object `json:"seo"`
		} `json:"result"`
	}
	err := p.client.get(ctx, "/categories/"+id.String(), &now)
	seo := maps.Clone(now.Result.SEO)
	if title, ok := seo["meta_title"].(string); ok {
		seo["meta_title"] = withoutSuffix(title)
	}
	return seo, err
}

// strip leaves the shop's header and footer out, by the page's manifest: the one that it
// has, else a new one before its other blocks.
func (p *pusher) strip(ctx context.Context, at found) error {
	var refs []shop.BlockID
	for _, b := range at.Blocks {
		for _, s := range b.Sections {
			var widget struct {
				Kind  string `json:"kind"`
				Props object `json:"props"`
			}
			if len(s.Payload) == 0 || json.Unmarshal(s.Payload, &widget) != nil {
				continue // legacy payloads have other shapes
			}
			switch widget.Kind {
			case "zone":
				if widget.Props == nil {
					widget.Props = object{}
				}
				maps.Copy(widget.Props, p.options.Frame.flags())
				return p.client.set(ctx, "PUT", "/content-blocks/"+b.ID.String(), object{"id": b.ID, "item": blockOf(manifest, "zone", widget.Props)}, nil)
			case "html":
				refs = append(refs, b.ID)
			}
		}
	}
	props := p.options.Frame.flags()
	props["refs"] = refs
	top, err := p.block(ctx, manifest, "zone", props)
	if err != nil {
		return err
	}
	places, last := at.places()
	return p.attach(ctx, at.Result.ID, append(places, place{top, last + 1}))
}
