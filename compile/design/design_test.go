package design

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"vitrine/internal/shop"
)

// bindings parses lines such as "theme/5 header=1 body=2".
func bindings(layout shop.BlockID, lines ...string) Bindings {
	b := Bindings{Layout: layout, Slots: map[Resource]map[string]shop.BlockID{}}
	for _, line := range lines {
		fields := strings.Fields(line)
		slots := map[string]shop.BlockID{}
		for _, f := range fields[1:] {
			var id int64
			slot, number, _ := strings.Cut(f, "=")
			fmt.Sscan(number, &id)
			slots[slot] = shop.BlockID(id)
		}
		b.Slots[resource(fields[0])] = slots
	}
	return b
}

func resource(text string) (r Resource) {
	kind, id, _ := strings.Cut(text, "/")
	fmt.Sscan(id, &r.ID)
	r.Type = shop.ResourceType(kind)
	return r
}

func show(resolved map[string]Bound) string {
	var out []string
	for _, slot := range slices.Sorted(maps.Keys(resolved)) {
		s := resolved[slot]
		out = append(out, fmt.Sprintf("%s=%d@%s/%d", slot, s.GroupID, s.Source.Type, s.Source.ID))
	}
	return strings.Join(out, " ")
}

func TestNearestResourceFillsASlot(t *testing.T) {
	all := []string{
		"product/12 header=1", "category_children/4 header=2 footer=2", "category_children/3 body=3 footer=3",
		"theme/5 header=4 footer=4 body=4 body_article=4", "shop/0 header=6 footer=6 body=6 body_news=6", "system/0 header=7 body=7 body_news=7 body_article=7",
	}
	b := bindings(5, all...)
	above := []shop.CategoryID{4, 3}
	for _, c := range []struct {
		at    string
		above []shop.CategoryID
		want  string
	}{
		{"product/12", above, "body=3@category_children/3 footer=2@category_children/4 header=1@product/12"},
		{"product/13", above, "body=3@category_children/3 footer=2@category_children/4 header=2@category_children/4"},
		{"product/13", nil, "body=4@theme/5 footer=4@theme/5 header=4@theme/5"},
		{"category/4", above, "body=4@theme/5 body_news=6@shop/0 footer=4@theme/5 header=4@theme/5"},
		{"category_children/4", above[1:], "body=3@category_children/3 footer=2@category_children/4 header=2@category_children/4"},
		{"article/1", nil, "body=4@theme/5 body_article=4@theme/5 body_news=6@shop/0 footer=4@theme/5 header=4@theme/5"},
		{"theme/5", nil, "body=4@theme/5 body_article=4@theme/5 body_news=6@shop/0 footer=4@theme/5 header=4@theme/5"},
		{"theme/9", nil, "body=6@shop/0 body_article=7@system/0 body_news=6@shop/0 footer=6@shop/0 header=6@shop/0"},
		{"shop/0", nil, "body=6@shop/0 body_article=7@system/0 body_news=6@shop/0 footer=6@shop/0 header=6@shop/0"},
		{"system/0", nil, "body=7@system/0 body_article=7@system/0 body_news=7@system/0 footer=4@theme/5 header=7@system/0"},
	} {
		if got := show(b.Resolve(resource(c.at), c.above)); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.at, got, c.want)
		}
	}
}

func TestTemplate(t *testing.T) {
	for _, c := range []struct {
		name, at, special string
		bound             []string
		want              string
	}{
		{"nothing", "product/1", "", nil, "0 false"},
		{"a product of its section", "product/1", "", []string{"category_children/4 body=2", "shop/0 body=3"}, "2 true"},
		{"its own is nearer", "product/1", "", []string{"category_children/4 body=2", "product/1 body=9"}, "9 true"},
		{"the shop's body is drawn in addition", "product/1", "", []string{"shop/0 body=3"}, "3 false"},
		{"the layout's too, and nearer", "category/4", "", []string{"shop/0 body=3", "theme/5 body=4"}, "4 false"},
		{"a rubric", "category/4", BodyNews, []string{"system/0 body_news=7"}, "7 true"},
		{"a rubric's own", "category/4", BodyNews, []string{"system/0 body_news=7", "category/4 body=8"}, "8 true"},
		{"no rubric", "category/4", "", []string{"system/0 body_news=7"}, "0 false"},
		{"the special one of the same resource", "article/1", BodyArticle, []string{"article/1 body=1 body_article=2"}, "2 true"},
		{"the nearer resource", "article/1", BodyArticle, []string{"article/1 body=1", "theme/5 body_article=2"}, "1 true"},
		{"the system's own pages", "system/0", "", []string{"system/0 body=7"}, "7 false"},
		{"and no others", "category/4", "", []string{"system/0 body=7"}, "0 false"},
	} {
		group, replaces := bindings(5, c.bound...).Template(resource(c.at), []shop.CategoryID{4}, c.special)
		if got := fmt.Sprint(group, " ", replaces); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// For any bindings, a slot comes from the first resource in the order that has it, and no
// resource is checked twice.
func TestEverySlotHasTheNearestSource(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := Bindings{Layout: shop.BlockID(rapid.IntRange(0, 2).Draw(t, "layout")), Slots: map[Resource]map[string]shop.BlockID{}}
		draw := func(name string) Resource {
			return Resource{rapid.SampledFrom(Types).Draw(t, name), shop.Int64(rapid.IntRange(0, 3).Draw(t, "id"))}
		}
		for i := range rapid.IntRange(0, 12).Draw(t, "bindings") {
			at := draw("bound")
			slot := rapid.SampledFrom(Slots(at.Type)).Draw(t, "slot")
			if b.Slots[at] == nil {
				b.Slots[at] = map[string]shop.BlockID{}
			}
			b.Slots[at][slot] = shop.BlockID(i + 1)
		}
		at := draw("at")
		above := []shop.CategoryID{1, 2, 3}
		order := b.Order(at, above)
		for i, r := range order {
			if slices.Contains(order[:i], r) {
				t.Fatalf("%v is checked twice: %v", r, order)
			}
		}
		for slot, bound := range b.Resolve(at, above) {
			for _, r := range order {
				if r == bound.Source {
					break
				}
				if _, nearer := b.Slots[r][slot]; nearer && b.shows(at, r, slot) {
					t.Fatalf("%s of %v comes from %v, but %v is nearer", slot, at, bound.Source, r)
				}
			}
			if b.Slots[bound.Source][slot] != bound.GroupID {
				t.Fatalf("%s of %v: %v is not bound there", slot, at, bound)
			}
		}
	})
}
