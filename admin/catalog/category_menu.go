package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
)

// menu returns the sections with the fields that view=menu fills (document 1, 4.3); the others are
// empty. It reads only what it needs and encodes it without reflection: each page of the cabinet that
// shows sections needs all of them, and there may be thousands.
func menu(ctx context.Context, r store.Reader, visitor, deleted bool) (api.Raw, error) {
	list, err := catalog.MenuCategories(ctx, r, visitor, deleted)
	if err != nil {
		return api.Raw{}, err
	}
	if err := menuCovers(ctx, r, list); err != nil {
		return api.Raw{}, err
	}
	body := bytes.NewBuffer(make([]byte, 0, 700*len(list)+64))
	body.WriteString(`{"result":[`)
	for i, c := range list {
		if i > 0 {
			body.WriteByte(',')
		}
		if err := writeMenu(body, c); err != nil {
			return api.Raw{}, err
		}
	}
	body.WriteString("]}\n")
	return api.Raw{Body: body.Bytes()}, nil
}

// menuCovers gives sections without a picture of their own that of their first gallery (document 1, 2.6).
func menuCovers(ctx context.Context, r store.Reader, list []catalog.MenuCategory) error {
	owners, err := media.GalleryOwners(ctx, r, store.EntityCategory)
	if err != nil {
		return err
	}
	var bare []int64
	for _, c := range list {
		if id := int64(c.ID); c.PreviewPath == "" && owners[id] {
			bare = append(bare, id)
		}
	}
	covers, err := media.GalleryCovers(ctx, r, store.EntityCategory, bare)
	for i, c := range list {
		if cover, there := covers[int64(c.ID)]; there {
			list[i].PreviewPath = cover.Path
		}
	}
	return err
}

// writeMenu writes a section as encoding/json writes a categoryView, which a test compares.
func writeMenu(b *bytes.Buffer, c catalog.MenuCategory) error {
	number := func(before string, n int64) {
		b.WriteString(before)
		b.Write(strconv.AppendInt(b.AvailableBuffer(), n, 10))
	}
	text := func(before, s string) {
		b.WriteString(before)
		writeText(b, s)
	}
	is := func(before string, v bool) {
		b.WriteString(before)
		b.Write(strconv.AppendBool(b.AvailableBuffer(), v))
	}
	number(`{"id":`, int64(c.ID))
	number(`,"parent_id":"`, int64(c.Parent))
	text(`","root_id":"0","company_id":0,"name":`, c.Name)
	text(`,"type":`, c.Type)
	text(`,"seo":{"slug":`, c.Slug)
	number(`,"page_title":"","meta_title":"","meta_description":"","meta_keywords":[],"og_image_id":null,"og_image_url":"",`+
		`"noindex":false,"nofollow":false,"alternates":[]},"order":`, int64(c.Order))
	is(`,"is_published":`, c.IsPublished)
	is(`,"is_show_menu":`, c.IsShowMenu)
	is(`,"is_home":`, c.IsHome)
	is(`,"is_deleted":`, c.IsDeleted)
	if c.PreviewPath == "" {
		b.WriteString(`,"preview_id":null,"preview":null`)
	} else {
		text(`,"preview_id":null,"preview":{"id":"00000000-0000-0000-0000-000000000000","url":`, shop.FileURL(c.PreviewPath))
		b.WriteByte('}')
	}
	number(`,"description":"","page_template":"","count_products":0,"count_articles":`, int64(c.CountArticles))
	b.WriteString(`,"created_at":null,"updated_at":null,"comments_enabled":"","questions_enabled":"","gallery_ids":[],"sidebar_config":`)
	if err := json.Compact(b, c.Sidebar); err != nil {
		return err
	}
	b.WriteByte('}')
	return nil
}

// writeText writes a text as JSON.
func writeText(b *bytes.Buffer, s string) {
	plain := strings.IndexFunc(s, func(r rune) bool {
		return r < ' ' || r == '"' || r == '\\' || r == '\u2028' || r == '\u2029' || r == utf8.RuneError
	}) < 0
	if plain {
		b.WriteByte('"')
		b.WriteString(s)
		b.WriteByte('"')
		return
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s)       // a text can always be encoded
	b.Truncate(b.Len() - 1) // its line break
}
