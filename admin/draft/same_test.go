package draft_test

import "testing"

// What a draft key sends as it is already, or sends nothing of, leaves nothing
// that waits: of any kind that has a draft.
func TestAnEditThatChangesNothingDoesNotWait(t *testing.T) {
	b := open(t)
	for kind, things := range map[string][]m{
		"products":   {b.green, b.add(b.Owner, "products", m{"name": "Bare"})},
		"categories": {b.tea, b.news},
		"articles":   {b.article},
		"galleries":  {{"id": b.gallery}},
	} {
		for _, thing := range things {
			now := b.Result("GET", "/"+kind+"/"+id(thing), b.Owner, nil)
			delete(now, "preview") // edits take preview_id
			for name, fields := range map[string]m{
				"nothing": {}, "everything": now, "the name": {"name": now["name"], "title": now["title"]}, "seo": {"seo": now["seo"]},
				"stock": {"stock_low_threshold": 4, "stock_quantity": 5},
			} {
				b.put(b.Dev, kind, id(thing), fields)
				if waits := b.waits(); len(waits) != 0 {
					t.Errorf("%s of %s: %v", name, kind, waits)
					b.OK("POST", "/drafts/discard", b.Owner, all)
				}
			}
		}
	}
}
