package draft_test

import "testing"

// A section whose address changes, by a live edit or by publishing a draft, must not complete a
// redirect loop. A refused change leaves everything as it was.
func TestRenamingASectionCreatesNoRedirectLoop(t *testing.T) {
	b := open(t)
	black := b.add(b.Owner, "categories", m{"name": "Black", "seo": m{"slug": "black"}, "is_published": true})
	b.Result(
		"POST", "/storefront-redirects", b.Owner,
		m{"item": m{"from_path": "/teas", "enabled": true, "to_target": "/black", "override_live": true}},
	)

	renamed := m{"item": m{"seo": m{"slug": "teas"}}}
	b.Refused("PUT", "/categories/"+id(black), b.Owner, renamed, 400, "REDIRECT_LOOP")
	if got := b.Result("GET", "/categories/"+id(black), b.Owner, nil); slugOf(got) != "black" {
		t.Errorf("the refused edit left %v", slugOf(got))
	}

	b.OK("PUT", "/categories/"+id(black), b.Dev, renamed)
	b.Refused("POST", "/drafts/publish", b.Owner, m{"all": true}, 400, "REDIRECT_LOOP")
	if got := b.Result("GET", "/categories/"+id(black), b.Owner, nil); slugOf(got) != "black" {
		t.Errorf("the refused publication left %v", slugOf(got))
	}
	if got := b.Result("GET", "/categories/"+id(black), b.Dev, nil); slugOf(got) != "teas" {
		t.Errorf("the draft lost its slug: %v", slugOf(got))
	}

	b.OK("PUT", "/categories/"+id(black), b.Dev, m{"item": m{"seo": m{"slug": "dark"}}})
	b.OK("POST", "/drafts/publish", b.Owner, m{"all": true})
}

func slugOf(category m) any { return category["seo"].(m)["slug"] }
