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

// Frame describes the surroundings of a website on its page.
type Frame struct {
	Bare       bool   // the page has neither the shop's header nor its footer
	Menu       string // name of the page in the menu; empty: from the document's title
	NoMenu     bool   // the page is not in the menu
	ShortTitle bool   // the page gets the title without the author's suffix: "Tea | Studio" as "Tea"
}

var (
	errFrame = errors.New("--bare, --menu, --no-menu and --short-title are for pages: use them with page:/slug")
	errMenu  = errors.New("--menu and --no-menu exclude each other")
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

// separators are used by authors between the name of a page and that of their website.
var separators = []string{" | ", " - ", " – ", " — ", " · ", " • ", " :: ", " » "}

// withoutSuffix cuts a title at its last separator; a title without one stays.
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

// longestMenu is the number of characters that fit into a menu beside other names.
const longestMenu = 32

// menuName is the menu name of a page with a title. A title that does not fit is cut at the
// first separator; if it is still too long, the last segment of the address is used.
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

// fresh returns the fields of a new page for a document with a title.
func (f Frame) fresh(title, path string) (name string, page, seo object) {
	name, page, seo = menuName(title, path), object{}, object{}
	if f.ShortTitle {
		name = withoutSuffix(title)
		seo["meta_title"] = name
	}
	if f.Menu != "" {
		name = shop.Clip(f.Menu, maxName)
	}
	if f.NoMenu {
		page["is_show_menu"] = false
	}
	return name, page, seo
}

// flags are the flags of the manifest __page:top.
func (f Frame) flags() object {
	if !f.Bare {
		return object{}
	}
	return object{"hideSiteHeader": true, "hideSiteFooter": true}
}

// updatePage changes an existing page; only options that were given have an effect.
func (p *pusher) updatePage(ctx context.Context, at found) error {
	f := p.options.Frame
	item := object{}
	if f.Menu != "" {
		item["name"], item["is_show_menu"] = shop.Clip(f.Menu, maxName), true
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
		return p.hideChrome(ctx, at)
	}
	return nil
}

// shortened is the page's seo, with the suffix cut from the title that publishing has just
// set.
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

// hideChrome hides the shop's header and footer with the page's manifest: the existing one, else a
// new one before its other blocks.
func (p *pusher) hideChrome(ctx context.Context, at found) error {
	var refs []shop.BlockID
	for _, b := range at.Blocks {
		for _, s := range b.Sections {
			var widget struct {
				Kind  string `json:"kind"`
				Props object `json:"props"`
			}
			if len(s.Payload) == 0 || json.Unmarshal(s.Payload, &widget) != nil {
				continue // legacy payloads have other formats
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
