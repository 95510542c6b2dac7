package draft_test

import "testing"

// Changes that are valid in the live shop and in the draft on their own must not be merged into
// an invalid state: a product in a section that became a website (document 1, 2.3).
func TestPublishingKeepsSectionTypesAndContentsConsistent(t *testing.T) {
	b := open(t)
	section := func(kind string) string {
		return id(b.add(b.Owner, "categories", m{"name": "Section", "type": kind}))
	}
	retype := func(key, section, kind string) { b.put(key, "categories", section, m{"type": kind}) }
	for name, c := range map[string]struct {
		was, becomes string
		kind         string // section type that accepts the entity
		fields       func(section string) m
	}{
		"a product":      {"product", "site", "products", func(s string) m { return m{"name": "P", "category_id": s} }},
		"an extra place": {"product", "news", "products", func(s string) m { return m{"name": "P", "categories": l{s}} }},
		"an article":     {"news", "page", "articles", func(s string) m { return m{"title": "A", "category_id": s} }},
	} {
		// The draft changes the type, then an entity is put into the live section.
		s := section(c.was)
		retype(b.Dev, s, c.becomes)
		b.add(b.Owner, c.kind, c.fields(s))
		refusal := b.Refused(
			"POST", "/drafts/publish", b.Owner, m{"items": l{m{"kind": "category", "id": s}}, "force": true}, 409,
			"DRAFT_CONFLICT",
		)
		if got := refusal["conflicts"].(l)[0].(m); got["code"] != "CATEGORY_TYPE_MISMATCH" || got["field"] != "type" {
			t.Errorf("%s: %v", name, got)
		}
		b.OK("POST", "/drafts/discard", b.Owner, m{"all": true})

		// The draft puts an entity into the section, then the live section changes its type.
		s = section(c.was)
		b.add(b.Dev, c.kind, c.fields(s))
		retype(b.Owner, s, c.becomes)
		refusal = b.Refused("POST", "/drafts/publish", b.Owner, all, 409, "DRAFT_CONFLICT")
		if got := refusal["conflicts"].(l)[0].(m); got["code"] != "CATEGORY_TYPE_MISMATCH" {
			t.Errorf("%s: %v", name, got)
		}
		b.OK("POST", "/drafts/discard", b.Owner, m{"all": true})
	}
	s := section("product")
	retype(b.Dev, s, "site")
	b.OK("POST", "/drafts/publish", b.Owner, all)
	b.sees(b.Owner, "categories", s, "type", "site")
}
