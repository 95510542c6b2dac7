package edge

import (
	"context"
	"errors"

	"vitrine/compile/markup"
	"vitrine/internal/shop"
	"vitrine/render"
)

// fragment is a program and the place of its output.
type fragment struct {
	program *markup.Program
	into    *render.Fragment
}

// mount inserts the html documents and the layout into a page and returns the keys that
// they and their data depend on.
func (s *Server) mount(ctx context.Context, t *tenant, st *state, want render.PageRequest, content render.Content) ([]shop.Key, error) {
	var keys []shop.Key
	fragments, err := s.layout(ctx, t, want, content)
	if err != nil {
		return nil, err
	}
	if content.Layout.ID != 0 {
		keys = append(keys, shop.Key{Kind: shop.KeyDocument, ID: int64(content.Layout.Document)})
	}
	for _, m := range content.Mounts {
		keys = append(keys, shop.Key{Kind: shop.KeyDocument, ID: int64(m.Document)})
		c, err := s.usable(ctx, t, m.Release, false)
		switch {
		case err != nil:
			return nil, err
		case c == nil:
			m.Into.Kind = render.BlockNone
		case want.Guarded():
			fragments = append(fragments, fragment{c.Guarded, &m.Into.Fragment})
		default:
			fragments = append(fragments, fragment{c.Normal, &m.Into.Fragment})
		}
	}
	more, err := s.fill(ctx, t, st, want, fragments)
	return append(keys, more...), err
}

// layout returns the head nodes and the foot of the shop's layout, which guarded pages do
// not get (document 3, 4.6.6).
func (s *Server) layout(ctx context.Context, t *tenant, want render.PageRequest, content render.Content) ([]fragment, error) {
	if content.Layout.ID == 0 || want.Guarded() {
		return nil, nil
	}
	c, err := s.usable(ctx, t, content.Layout, true)
	if c == nil || err != nil {
		return nil, err
	}
	f := render.FrameOf(content.Page)
	f.Layout.Class = c.Class
	return []fragment{{c.Normal, &f.Layout.Head}, {c.Foot, &f.Layout.Foot}}, nil
}

// usable returns a compiled release, nil if the page must be shown without it.
func (s *Server) usable(ctx context.Context, t *tenant, r render.Release, layout bool) (*markup.Compiled, error) {
	c, err := s.program(ctx, t, r, layout)
	if errors.Is(err, shop.ErrNotFound) || errors.Is(err, errBroken) {
		s.cfg.Log.Warn("html document left out", "company", t.company, "document", r.Document, "release", r.ID, "error", err)
		return nil, nil
	}
	return c, err
}

// fill reads the data that the fragments ask for together and binds it to them.
func (s *Server) fill(ctx context.Context, t *tenant, st *state, want render.PageRequest, fragments []fragment) (keys []shop.Key, err error) {
	var needs markup.Needs
	for _, f := range fragments {
		needs = mergeNeeds(needs, f.program.Needs())
	}
	data := &markup.Data{}
	if needs.Any() {
		if data, keys, err = t.source.Bindings(ctx, st.site, want, needs); err != nil {
			return nil, err
		}
	}
	for _, f := range fragments {
		*f.into = func(dst []byte) []byte { return f.program.AppendTo(dst, data) }
	}
	return keys, nil
}
