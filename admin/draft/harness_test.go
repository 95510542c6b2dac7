package draft_test

import (
	"fmt"
	"strconv"
	"testing"

	"vitrine/admin/api/apitest"
)

type (
	m = apitest.Map
	l = []any
)

// bench is an API with a small live shop.
type bench struct {
	*apitest.API
	t *testing.T

	tea, news, green, article m
	block, header, document   string
	gallery                   string // of green and tea
}

func open(t *testing.T) *bench {
	t.Helper()
	t.Parallel()
	b := &bench{API: apitest.New(t), t: t}
	b.tea = b.add(b.Owner, "categories", m{"name": "Tea", "is_published": true, "is_home": true})
	b.news = b.add(b.Owner, "categories", m{"name": "News", "type": "news", "is_published": true})
	b.green = b.add(
		b.Owner, "products",
		m{"name": "Green", "sku": "G1", "category_id": b.tea["id"], "is_published": true, "price": m{"price": 5}},
	)
	b.article = b.add(b.Owner, "articles", m{"title": "Harvest", "category_id": b.news["id"], "is_published": true})
	b.block = b.add(b.Owner, "content-blocks", m{"name": "Words", "sections": l{m{"type": "text", "payload": m{"text": "live"}}}})["id"].(string)
	b.header = b.add(b.Owner, "content-blocks", m{"name": "Top", "group_type": "chrome"})["id"].(string)
	b.OK("PUT", "/categories/"+id(b.tea)+"/content-blocks", b.Owner, m{"items": l{m{"block_id": b.block, "sort_order": 0}}})
	b.document = b.add(b.Owner, "html-documents", m{"name": "Landing", "level": 3})["id"].(string)
	b.gallery = b.add(b.Owner, "galleries", m{"name": "Rows", "items": l{m{"item_key": "one", "kind": "html", "html": "<i>live</i>"}}})["id"].(string)
	b.put(b.Owner, "products", id(b.green), m{"gallery_ids": l{b.gallery}})
	b.put(b.Owner, "categories", id(b.tea), m{"gallery_ids": l{b.gallery}})
	return b
}

// add creates an entity with a key and returns it.
func (b *bench) add(key, kind string, fields m) m {
	b.t.Helper()
	return b.Result("POST", "/"+kind, key, m{"item": fields})
}

// put changes fields of an entity with a key.
func (b *bench) put(key, kind, id string, fields m) m {
	b.t.Helper()
	return b.Result("PUT", "/"+kind+"/"+id, key, m{"item": fields})
}

func id(of m) string {
	if n, ok := of["id"].(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return of["id"].(string)
}

// one selects a single item of the draft.
func one(kind, id string) m { return m{"items": l{m{"kind": kind, "id": id}}} }

var all = m{"all": true}

// pending returns the pending changes by "kind id".
func (b *bench) pending() map[string]m {
	b.t.Helper()
	answer := b.OK("GET", "/drafts", b.Dev, nil)
	items := map[string]m{}
	for _, it := range answer["result"].(l) {
		items[fmt.Sprint(it.(m)["kind"], " ", it.(m)["id"])] = it.(m)
	}
	if int(answer["total"].(float64)) != len(items) {
		b.t.Errorf("total %v of %d", answer["total"], len(items))
	}
	return items
}

// sees checks one field of an entity as read with a key.
func (b *bench) sees(key, kind, id, field string, want any) {
	b.t.Helper()
	if n, ok := want.(int); ok {
		want = float64(n)
	}
	if got := b.Result("GET", "/"+kind+"/"+id, key, nil)[field]; fmt.Sprint(got) != fmt.Sprint(want) {
		b.t.Errorf("%s %s: %s is %v, want %v", kind, id, field, got, want)
	}
}
