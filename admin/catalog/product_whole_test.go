package catalog_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/admin/api/apitest"
)

// twin is one of two products that get the same edits in two ways.
type twin struct {
	bench
	key  string // a session of the owner
	name string // begins its skus, which two products cannot share
	path string
	sets []any // the ids of the sets that it ever had, oldest first
}

func (w *twin) create() {
	w.path = at("products", w.Result("POST", "/products", w.key, item(m{"name": "Tea", "price": m{"price": 10}})))
	w.sets = nil
}

// own returns a value with the skus of the twin, and with its sets instead of their numbers.
func (w *twin) own(value any) any {
	switch value := value.(type) {
	case m:
		out := m{}
		for name, inner := range value {
			switch {
			case name == "sku":
				out[name] = w.name + fmt.Sprint(inner)
			case name == "id":
				if n := inner.(int); n < len(w.sets) {
					out[name] = w.sets[n]
				}
			default:
				out[name] = w.own(inner)
			}
		}
		return out
	case l:
		out := l{}
		for _, inner := range value {
			out = append(out, w.own(inner))
		}
		return out
	}
	return value
}

func (w *twin) send(method, path string, body m) (code string, answer m) {
	got := w.Send(apitest.Request{Method: method, Path: path, Key: w.key, Body: body})
	if got.Status >= 500 {
		w.t.Fatalf("%s %s: %d %s", method, path, got.Status, got.Body)
	}
	if got.Status >= 400 {
		return apitest.Code(got.JSON), nil
	}
	return "", got.JSON
}

// atOnce makes an edit with one call.
func (w *twin) atOnce(edit m) (code string) {
	code, _ = w.send("PUT", w.path, item(w.own(edit).(m)))
	return code
}

// inParts makes an edit with a call for each part, until one is refused.
func (w *twin) inParts(edit m) (code string) {
	fields, items, stocks := m{}, l{}, []m{}
	for name, value := range w.own(edit).(m) {
		fields[name] = value
	}
	if stock, sent := fields["stock"].(m); sent {
		stocks = append(stocks, stock)
	}
	sets, sent := fields["variants"].(l)
	of := map[int]m{}
	for n, set := range sets {
		plain := m{}
		for name, value := range set.(m) {
			plain[name] = value
		}
		if stock, counted := plain["stock"].(m); counted {
			of[n] = stock
		}
		delete(plain, "stock")
		items = append(items, plain)
	}
	delete(fields, "stock")
	delete(fields, "variants")
	if code, _ = w.send("PUT", w.path, item(fields)); code != "" {
		return code
	}
	var saved l
	if sent {
		var answer m
		if code, answer = w.send("PUT", w.path+"/variants", m{"items": items}); code != "" {
			return code
		}
		saved = answer["result"].(m)["variants"].(l)
	}
	for n := range sets {
		if of[n] != nil {
			stock := m{"variant_id": saved[n].(m)["id"]}
			for name, value := range of[n] {
				stock[name] = value
			}
			stocks = append(stocks, stock)
		}
	}
	for _, stock := range stocks {
		if code, _ = w.send("PUT", w.path+"/stock", stock); code != "" {
			return code
		}
	}
	return ""
}

// state returns the product and its ledger, without what differs between the twins.
func (w *twin) state() m {
	card := w.Result("GET", w.path, w.key, nil)
	for _, name := range []string{"id", "slug", "seo", "sku", "created_at", "updated_at", "active_variant_id"} {
		delete(card, name)
	}
	for _, set := range card["variants"].(l) {
		set := set.(m)
		if !slices.Contains(w.sets, set["id"]) {
			w.sets = append(w.sets, set["id"])
		}
		set["id"], set["sku"] = slices.Index(w.sets, set["id"]), strings.TrimPrefix(set["sku"].(string), w.name)
	}
	ledger := w.OK("GET", w.path+"/stock/history", w.key, nil)["result"].(l)
	for _, line := range ledger {
		line := line.(m)
		delete(line, "id")
		delete(line, "created_at")
		for _, part := range line["variants"].(l) {
			part.(m)["variant_id"] = slices.Index(w.sets, part.(m)["variant_id"])
		}
	}
	return m{"card": card, "ledger": ledger}
}

// wholeEdits draws edits of a product, its sets and their stock; some are refused.
var wholeEdits = rapid.Custom(func(t *rapid.T) m {
	stock := func(what string) (m, bool) {
		if !rapid.Bool().Draw(t, what) {
			return nil, false
		}
		s := m{}
		if rapid.Bool().Draw(t, what+" quantity") {
			s["quantity"] = rapid.SampledFrom([]int64{-1, 0, 1, 2, 9, 9, 9, 1 << 31}).Draw(t, what+" quantity is")
		}
		if rapid.Bool().Draw(t, what+" threshold") {
			s["low_threshold"] = rapid.SampledFrom([]int64{-1, 0, 1, 3}).Draw(t, what+" threshold is")
		}
		return s, true
	}
	edit := m{}
	if rapid.Bool().Draw(t, "named") {
		edit["name"] = rapid.SampledFrom([]string{"Tea", "Green tea", "Tea", ""}).Draw(t, "name")
	}
	if rapid.Bool().Draw(t, "counted") {
		edit["stock_by"] = rapid.SampledFrom([]string{"product", "variant", "variant"}).Draw(t, "stock_by")
	}
	if rapid.IntRange(0, 3).Draw(t, "with sku") == 0 {
		edit["sku"] = rapid.SampledFrom([]string{"1", "5"}).Draw(t, "sku")
	}
	if s, ok := stock("stock"); ok && rapid.Bool().Draw(t, "of the product") {
		edit["stock"] = s
	}
	if !rapid.Bool().Draw(t, "with variants") {
		return edit
	}
	sets := l{}
	for n := range rapid.IntRange(0, 3).Draw(t, "variants") {
		set := m{"sku": rapid.SampledFrom([]string{"1", "2", "3", "4"}).Draw(t, "set sku"), "title": fmt.Sprint("Set ", n)}
		if rapid.Bool().Draw(t, "known") {
			set["id"] = rapid.IntRange(0, 4).Draw(t, "set")
		}
		if rapid.Bool().Draw(t, "priced") {
			set["price"] = rapid.SampledFrom([]int{5, 7, 7, -1}).Draw(t, "price")
		}
		if rapid.Bool().Draw(t, "numbered") {
			set["stock_quantity"] = rapid.IntRange(0, 3).Draw(t, "stock_quantity")
		}
		if s, ok := stock("set stock"); ok {
			set["stock"] = s
		}
		sets = append(sets, set)
	}
	edit["variants"] = sets
	return edit
})

// A product with its sets and its stock in one call becomes what the calls for each part make of it,
// in the ledger too; where one of them is refused, the one call is refused and changes nothing.
func TestOneWriteEqualsThree(t *testing.T) {
	b := open(t)
	one, three := &twin{bench: b, name: "A"}, &twin{bench: b, name: "B"}
	made, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		b.Clock.Advance(time.Minute)
		one.key = b.Session(b.OwnerID) // sessions end after an hour
		three.key = one.key
		one.create()
		three.create()
		defer func() {
			b.OK("DELETE", one.path, b.Owner, nil)
			b.OK("DELETE", three.path, b.Owner, nil)
		}()
		for range rapid.IntRange(1, 5).Draw(t, "edits") {
			edit := wholeEdits.Draw(t, "edit")
			before := one.state()
			_, events := b.events(0)
			want := three.inParts(edit)
			_, parted := b.events(events)
			got := one.atOnce(edit)
			list, _ := b.events(parted)
			if got != want {
				t.Fatalf("%v: %q at once, %q in parts", edit, got, want)
			}
			if got != "" {
				refused++
				if after := one.state(); !reflect.DeepEqual(after, before) || len(list) > 0 {
					t.Fatalf("%v was refused and changed\n%v to\n%v, with events %v", edit, before, after, list)
				}
				break
			}
			made++
			if len(list) != 1 {
				t.Fatalf("%v: the events are %v", edit, list)
			}
			if a, b := one.state(), three.state(); !reflect.DeepEqual(a, b) {
				t.Fatalf("%v:\n%v at once\n%v in parts", edit, a, b)
			}
		}
	})
	if made == 0 || refused == 0 {
		t.Errorf("%d edits were made, %d refused", made, refused)
	}
}

// Who may set the stock, and where a refusal says that the fault is: nothing is written.
func TestARefusedPartRefusesTheProduct(t *testing.T) {
	b := open(t)
	seller := b.Session(b.OwnerID)
	session := b.session(b.OwnerID)
	dev := func(method, path string, body any) apitest.Answer { return session(method, path, "dev", body) }
	live := func(method, path string, body any) apitest.Answer { return session(method, path, "", body) }
	by := func(key string) func(method, path string, body any) apitest.Answer {
		return func(method, path string, body any) apitest.Answer {
			return b.Send(apitest.Request{Method: method, Path: path, Key: key, Body: body})
		}
	}
	whole := b.add("products", m{"name": "Tea"})
	split := b.add("products", m{"name": "Shirt", "stock_by": "variant"})
	b.add("products", m{"name": "Cup", "sku": "TAKEN"})
	count := func() any { return b.Result("GET", "/products", b.Owner, nil)["total"] }
	products := count()
	one := func(set m) l { return l{m{"title": "S"}, set} }
	for _, c := range []struct {
		what        string
		send        func(method, path string, body any) apitest.Answer
		of          m // nil: a new product
		fields      m
		code, place string
	}{
		{"stock by a key", by(b.Owner), whole, m{"stock": m{"quantity": 1}}, "PAT_METHOD_NOT_ALLOWED", "item.stock"},
		{"stock by a draft key", by(b.Dev), whole, m{"stock": m{"quantity": 1}}, "PAT_METHOD_NOT_ALLOWED", "item.stock"},
		{"stock of a set by a key", by(b.Owner), split, m{"variants": one(m{"stock": m{"quantity": 1}})}, "PAT_METHOD_NOT_ALLOWED", "item.variants[1].stock"},
		{"stock in the draft", dev, whole, m{"stock": m{"quantity": 1}}, "DEV_MODE_UNAVAILABLE", "item.stock"},
		{"stock of a set in the draft", dev, split, m{"variants": one(m{"stock": m{}})}, "DEV_MODE_UNAVAILABLE", "item.variants[1].stock"},
		{"a new one by a key", by(b.Owner), nil, m{"stock": m{"quantity": 1}}, "PAT_METHOD_NOT_ALLOWED", "item.stock"},
		{"a new one in the draft", dev, nil, m{"stock": m{"quantity": 1}}, "DEV_MODE_UNAVAILABLE", "item.stock"},
		{"stock as a whole, counted by variant", live, split, m{"stock": m{"quantity": 1}}, "STOCK_BY_VARIANT", "item.stock"},
		{"both", live, split, m{"stock": m{"quantity": 1}, "variants": one(m{"stock": m{"quantity": 1}})}, "STOCK_BY_VARIANT", "item.stock"},
		{"both of a product counted as a whole", live, whole, m{"stock": m{"quantity": 1}, "variants": one(m{"stock": m{"quantity": 1}})}, "STOCK_BY_VARIANT", "item.variants[1].stock"},
		{"too many units", live, nil, m{"stock_by": "variant", "variants": one(m{"stock": m{"quantity": 1 << 31}})}, "INVALID_REQUEST", "item.variants[1].stock.quantity"},
		{"no number", live, whole, m{"stock": m{"low_threshold": "few"}}, "INVALID_REQUEST", "item.stock.low_threshold"},
		{"a taken sku", live, nil, m{"variants": one(m{"sku": "TAKEN"})}, "already_exists", "item.variants[1].sku"},
		{"a taken sku, edited", live, whole, m{"variants": one(m{"sku": "TAKEN"})}, "already_exists", "item.variants[1].sku"},
		{"a set of another product", live, whole, m{"variants": one(m{"id": 999_999})}, "VARIANT_NOT_FOUND", "item.variants[1].id"},
		{"a price", live, nil, m{"variants": one(m{"price": -1})}, "PRODUCT_PRICE_INVALID", "item.variants[1].price"},
		{"a picture", live, whole, m{"variants": one(m{"image_id": missingFile})}, "PRODUCT_FILE_NOT_FOUND", "item.variants[1].image_id"},
		{"too many sets", live, whole, m{"variants": slices.Repeat(l{m{}}, 501)}, "VARIANTS_TOO_MANY", "item.variants"},
	} {
		fields := m{"name": "Changed", "description": "Changed", "gallery": l{}}
		for name, value := range c.fields {
			fields[name] = value
		}
		method, path := "POST", "/products"
		if c.of != nil {
			method, path = "PUT", at("products", c.of)
		}
		got := c.send(method, path, item(fields))
		if place, _ := got.JSON["place"].(string); apitest.Code(got.JSON) != c.code || place != c.place {
			t.Errorf("%s: %d %s, want %s at %s", c.what, got.Status, got.Body, c.code, c.place)
		}
	}
	for _, of := range []m{whole, split} {
		for _, key := range []string{b.Owner, b.Dev} {
			now := b.Result("GET", at("products", of), key, nil)
			if now["name"] != of["name"] || now["updated_at"] != of["updated_at"] || len(now["variants"].(l)) > 0 {
				t.Errorf("a refused edit changed %v", now)
			}
		}
		if lines := b.OK("GET", at("products", of)+"/stock/history", seller, nil)["result"].(l); len(lines) > 0 {
			t.Errorf("a refused edit moved units: %v", lines)
		}
	}
	if now := count(); now != products {
		t.Errorf("%v products, before %v", now, products)
	}
}

// The version that an edit was made from holds for all of its parts.
func TestAStaleEditWritesNoPart(t *testing.T) {
	b := open(t)
	live := b.session(b.OwnerID)
	p := live("POST", "/products", "", item(m{"name": "Tea", "stock": m{"quantity": 5, "low_threshold": 2}, "variants": l{m{"title": "S"}, m{"title": "M"}}})).JSON["result"].(m)
	if sets := names(p["variants"], "title"); p["stock_quantity"] != 5.0 || p["stock_low_threshold"] != 2.0 || fmt.Sprint(sets) != "[S M]" {
		t.Fatalf("created %v", p)
	}
	b.put("products", p, m{"name": "Green tea"})
	edit := item(m{"variants": l{}, "stock": m{"quantity": 1}})
	edit["expected_updated_at"] = p["updated_at"]
	stale := live("PUT", at("products", p), "", edit)
	now := b.Result("GET", at("products", p), b.Owner, nil)
	if apitest.Code(stale.JSON) != "EDIT_CONFLICT" || now["stock_quantity"] != 5.0 || len(now["variants"].(l)) != 2 {
		t.Fatalf("%d %s: %v", stale.Status, stale.Body, now)
	}
	edit["expected_updated_at"] = now["updated_at"]
	if got := live("PUT", at("products", p), "", edit); got.Status != 200 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
}

// A batch has no stock, and one item for many products no sets: it says that it ignored them.
func TestABatchIgnoresStock(t *testing.T) {
	b := open(t)
	live := b.session(b.OwnerID)
	p := b.add("products", m{"name": "Tea"})
	parts := m{"name": "Tea", "variants": l{m{"title": "S"}}, "stock": m{"quantity": 1}}
	edited := m{"id": p["id"]}
	for name, value := range parts {
		edited[name] = value
	}
	for _, c := range []struct {
		method string
		body   m
		want   string
	}{
		{"POST", m{"items": l{parts}}, "items[0].stock"},
		{"PATCH", m{"items": l{edited}}, "items[0].stock"},
		{"PATCH", m{"ids": l{p["id"]}, "item": parts}, "item.stock,item.variants"},
	} {
		got := live(c.method, "/products/batch", "", c.body)
		ignored := strings.Split(got.Header.Get("X-Ignored-Fields"), ",")
		slices.Sort(ignored)
		if got.Status >= 300 || strings.Join(ignored, ",") != c.want {
			t.Errorf("%s: %d, ignored %v", c.method, got.Status, ignored)
		}
	}
}
