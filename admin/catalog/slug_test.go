package catalog_test

import (
	"strings"
	"testing"
	"vitrine/internal/store/catalog"
)

// nouns are the three kinds of things with slugs, with the fields that creating one requires.
func (b bench) nouns() map[string]func(slug any) m {
	rubric := b.section("news", "Rubric")
	seo := func(fields m, slug any) m {
		if slug != nil {
			fields["seo"] = m{"slug": slug}
		}
		return fields
	}
	return map[string]func(slug any) m{
		"categories": func(slug any) m { return seo(m{"name": "Green tea"}, slug) },
		"products":   func(slug any) m { return seo(m{"name": "Green tea"}, slug) },
		"articles":   func(slug any) m { return seo(m{"title": "Green tea", "category_id": rubric["id"]}, slug) },
	}
}

func TestSlugsAreNormalizedOrRefused(t *testing.T) {
	b := open(t)
	for kind, fields := range b.nouns() {
		for asked, want := range map[string]string{
			"zelyonyy": "zelyonyy", "Чай Улун": "chay-ulun", "with space": "with-space", "Caps_9": "caps_9", "café-x": "cafe-x",
		} {
			show(t, kind+" "+asked, b.add(kind, fields(asked)), want, "seo", "slug")
		}
		for asked, code := range map[string]string{
			"2024": "SLUG_NUMERIC_FORBIDDEN", "007": "SLUG_NUMERIC_FORBIDDEN", "9-lives": "SLUG_INVALID", "_x": "SLUG_INVALID", "-abc": "SLUG_INVALID", "/abc": "SLUG_INVALID",
			"🍵": "SLUG_INVALID", strings.Repeat("a", 201): "SLUG_INVALID", "cart": "SLUG_RESERVED", "Admin": "SLUG_RESERVED",
		} {
			b.refused("POST", "/"+kind, fields(asked), 400, code)
		}
	}
}

func TestGeneratedSlugsGetASuffixAndExplicitOnesAreRefused(t *testing.T) {
	b := open(t)
	for kind, fields := range b.nouns() {
		first := b.add(kind, fields(nil))
		show(t, kind, first, "green-tea", "seo", "slug")
		show(t, kind, b.add(kind, fields(nil)), "green-tea-2", "seo", "slug")
		show(t, kind, b.add(kind, fields("")), "green-tea-3", "seo", "slug")
		b.refused("POST", "/"+kind, fields("Green Tea"), 409, "SLUG_TAKEN")
		other := b.add(kind, fields("other"))
		b.refused("PUT", at(kind, other), m{"seo": m{"slug": "green-tea"}}, 409, "SLUG_TAKEN")
		b.refused("PUT", at(kind, other), m{"seo": m{"slug": "123"}}, 400, "SLUG_NUMERIC_FORBIDDEN")

		b.OK("DELETE", at(kind, first), b.Owner, nil)
		show(t, kind+" after a deletion", b.add(kind, fields("green-tea")), "green-tea", "seo", "slug")
	}
	if b.add("products", m{"name": "🍵"})["slug"] != "product-1" {
		t.Error("a name without letters should get the kind as its slug")
	}
}

func TestARenameIsWrittenToTheJournal(t *testing.T) {
	b := open(t)
	for kind, fields := range b.nouns() {
		thing := b.add(kind, fields("first"))
		b.put(kind, thing, m{"seo": m{"slug": "second"}})
		b.put(kind, thing, m{"seo": m{"slug": "third"}})
		b.put(kind, thing, m{"seo": m{"slug": "first"}})
		b.put(kind, thing, m{"seo": m{"slug": "fourth"}})
	}
	journal, err := catalog.Journal(t.Context(), b.Store.Shop(b.Shop.ID))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int16]string{}
	for _, e := range journal {
		seen[e.Entity] += e.Slug + " "
	}
	for entity, slugs := range seen {
		for _, want := range []string{"first", "second", "third"} {
			if strings.Count(slugs, want+" ") != 1 {
				t.Errorf("entity %d: %s: want each of first, second, third once", entity, slugs)
			}
		}
		if strings.Contains(slugs, "fourth") {
			t.Errorf("entity %d: the journal contains the slug in use: %s", entity, slugs)
		}
	}
	if len(seen) != 3 {
		t.Errorf("journal of %d nouns, want 3", len(seen))
	}
}

func TestTheTopLevelSlugOfAnArticleTakesPrecedence(t *testing.T) {
	b := open(t)
	rubric := b.section("news", "Rubric")["id"]
	article := b.add("articles", m{"title": "A", "category_id": rubric, "slug": "top", "seo": m{"slug": "below"}})
	show(t, "create", article, "top", "slug")
	show(t, "create", article, "top", "seo", "slug")
	article = b.put("articles", article, m{"slug": "newer"})
	show(t, "edit", article, "newer", "slug")
	article = b.put("articles", article, m{"slug": "", "seo": m{"meta_title": "T"}})
	show(t, "an empty slug keeps the address", article, "newer", "slug")
	show(t, "seo", article, "T", "seo", "meta_title")
}
