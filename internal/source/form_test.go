package source_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"vitrine/edge"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	formdb "vitrine/internal/store/form"
	"vitrine/render"
)

func TestFormsAreReadOnlyByTheirShop(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	var form formdb.Form
	h.write(func(ctx context.Context, tx *store.Tx) (err error) {
		form, err = formdb.Save(ctx, tx, formdb.Form{Name: "Ask us", Fields: json.RawMessage(
			`[{"name":"email","label":"E-mail","type":"email","required":true,"options":[]},{"name":"size","type":"select","options":["S","L"]}]`)})
		return err
	})
	for name, source := range map[string]edge.Source{"live": h.source, "draft": h.source.Draft()} {
		got, err := source.Form(t.Context(), h.company, form.ID)
		if err != nil || got.ID != form.ID || got.Name != "Ask us" || len(got.Fields) != 2 {
			t.Fatalf("%s: %+v %v", name, got, err)
		}
		if f := got.Fields[0]; f.Name != "email" || f.Label != "E-mail" || f.Type != "email" || !f.Required {
			t.Errorf("%s: %+v", name, f)
		}
		if f := got.Fields[1]; len(f.Options) != 2 || f.Required {
			t.Errorf("%s: %+v", name, f)
		}
		for name, id := range map[string]shop.CompanyID{"another shop": h.company + 1, "no shop": 0} {
			if _, err := source.Form(t.Context(), id, form.ID); !errors.Is(err, shop.ErrNotFound) {
				t.Errorf("%s reads the form: %v", name, err)
			}
		}
	}
	site, _ := h.site()
	around, err := h.source.Content(t.Context(), site, render.PageRequest{Kind: render.WantForm})
	if _, ok := around.Page.(*render.FormPage); err != nil || !ok {
		t.Errorf("the frame of a form: %T %v", around.Page, err)
	}
	h.write(func(ctx context.Context, tx *store.Tx) error { return formdb.Delete(ctx, tx, form.ID) })
	if _, err := h.source.Form(t.Context(), h.company, form.ID); !errors.Is(err, shop.ErrNotFound) {
		t.Errorf("a deleted form: %v", err)
	}
}
