package draft_test

import "testing"

// An edit by a draft key that sends no fields, or only unchanged values, leaves no pending
// change, for every kind that has a draft.
func TestAnEditWithoutChangesLeavesNoDraftChange(t *testing.T) {
	b := open(t)
	for kind, things := range map[string][]m{
		"products":   {b.green, b.add(b.Owner, "products", m{"name": "Bare"})},
		"categories": {b.tea, b.news},
		"articles":   {b.article},
		"galleries":  {{"id": b.gallery}},
	} {
		for _, thing := range things {
			now := b.Result("GET", "/"+kind+"/"+id(thing), b.Owner, nil)
			delete(now, "preview") // edits accept preview_id instead
			for name, fields := range map[string]m{
				"nothing": {}, "everything": now, "the name": {"name": now["name"], "title": now["title"]}, "seo": {"seo": now["seo"]},
				"stock": {"stock_low_threshold": 4, "stock_quantity": 5},
			} {
				b.put(b.Dev, kind, id(thing), fields)
				if pending := b.pending(); len(pending) != 0 {
					t.Errorf("%s of %s: %v", name, kind, pending)
					b.OK("POST", "/drafts/discard", b.Owner, all)
				}
			}
		}
	}
}
