package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
)

// imported imports a CSV and returns a text for each row: its status, and its code or its
// changes.
func (b bench) imported(text string) []string {
	b.t.Helper()
	return rowsOf(b.Result("POST", "/products/import", b.Owner, m{"text": text, "strict": true}))
}

func rowsOf(report m) (rows []string) {
	for _, r := range report["rows"].(l) {
		row := r.(m)
		line := fmt.Sprint(row["status"])
		if code, failed := row["error"]; failed {
			line += fmt.Sprint(" ", code)
		}
		if changes, _ := row["changes"].(l); len(changes) > 0 {
			for _, c := range changes {
				line += fmt.Sprintf(" %v:%v>%v", c.(m)["column"], c.(m)["from"], c.(m)["to"])
			}
		}
		rows = append(rows, line)
	}
	return rows
}

func wantRows(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q\nwant %q", what, got, want)
	}
}

func TestUpdatesReportChangedCells(t *testing.T) {
	b := open(t)
	f := b.fixtures(b.Owner)
	p := b.add("products", m{
		"name": "Tea", "sku": "T", "price": m{"price": 5}, "category_id": f.sections[0], "tags": l{"a"},
		"attributes": l{m{"attribute_id": f.attributes[0], "values": l{"red"}}, m{"attribute_id": f.attributes[1], "number": 2}},
	})
	text := "sku,name,price,category,tags,noindex,attribute:colour,\"Attribute:Weight, g\"\n" + `T,Tea,7,chay,"b|c\|d",TRUE,blue|red,"1,5"` + "\n"
	want := "updated price:5>7 category:tea>chay tags:a>b|c\\|d noindex:false>true attribute:Colour:red>red|blue attribute:Weight, g:2>1.5"
	dry := b.Result("POST", "/products/import", b.Owner, m{"text": text, "dry_run": true})
	wantRows(t, "dry run", rowsOf(dry), want)
	show(t, "after a dry run", b.Result("GET", at("products", p), b.Owner, nil), 5, "price", "price")
	wantRows(t, "import", b.imported(text), want)
	wantRows(t, "again", b.imported(text), "unchanged")
	wantRows(t, "another column", b.imported("sku,attribute:Colour\nT,\n"), "updated attribute:Colour:red|blue>")
	card := b.Result("GET", at("products", p), b.Owner, nil)
	if got := names(card["attributes"], "name"); !slices.Equal(got, []string{"Weight, g"}) {
		t.Errorf("an attribute without a column should stay: %v", got)
	}
	show(t, "a column left out", card, 7, "price", "price")
}

// A line for a product of an earlier line works on the result of that line, however the product
// is identified, and each line reports its own changes.
func TestALineSeesTheChangesOfEarlierLines(t *testing.T) {
	b := open(t)
	b.add("products", m{"name": "Tea", "sku": "T", "price": m{"price": 5}})
	b.add("products", m{"name": "Cup", "sku": "C", "price": m{"price": 9}})
	wantRows(
		t, "by id and sku",
		b.imported("id,sku,name,price\n1,T,Tea,6\n2,C,Cup,9\n1,T,Tea,7\n,T,Green tea,7\n1,,Green tea,7\n1,N,Green tea,7\n,N,Green tea,8\n,T,Other,1\n"),
		"updated price:5>6", "unchanged", "updated price:6>7", "updated name:Tea>Green tea", "updated sku:T>", "updated sku:>N",
		"updated price:7>8", "created",
	)
	wantRows(
		t, "back and forth", b.imported("id,price\n2,10\n2,9\n2,10\n2,10\n"), "updated price:9>10", "updated price:10>9",
		"updated price:9>10", "unchanged",
	)
	show(t, "in the end", b.Result("GET", "/products/1", b.Owner, nil), 8, "price", "price")
}

func TestOptionsAreIdentifiedByValueOrLabel(t *testing.T) {
	b := open(t)
	b.attribute(
		m{
			"name": "Size",
			"options": l{
				m{"value": "s", "label": "Small"}, m{"value": "m", "label": "Medium"}, m{"value": "x", "label": "Odd"},
				m{"value": "y", "label": "odd"},
			},
		},
	)
	wantRows(
		t, "options",
		b.imported(strings.Join([]string{"name,attribute:Size", "A,s", "B,small", "C,Medium | s", "D,Odd", "E,large", "F,x|odd"}, "\n")),
		"created", "created", "created", "error IMPORT_CELL_INVALID", "error IMPORT_CELL_INVALID",
		"error IMPORT_CELL_INVALID",
	)
	var got []string
	for _, p := range b.Result("GET", "/products", b.Owner, nil)["items"].(l) {
		got = append(got, fmt.Sprint(p.(m)["attributes"].(l)[0].(m)["values"]))
	}
	wantRows(t, "values", got, "[s]", "[s]", "[s m]")
	b.Refused("POST", "/products/import", b.Owner, m{"text": "name,attribute:Colour\nA,red"}, 400, "IMPORT_HEADER_INVALID")
	b.Refused("POST", "/products/import", b.Owner, m{"text": "attribute:size,Attribute:SIZE\ns,s"}, 400, "IMPORT_HEADER_INVALID")
}

func TestPicturesAndVariantsAreImported(t *testing.T) {
	b := open(t)
	one, two, gone := b.picture(b.Shop.ID), b.picture(b.Shop.ID), b.gone()
	quoted := func(json string) string { return `"` + strings.ReplaceAll(json, `"`, `""`) + `"` }
	text := strings.Join([]string{
		"name;sku;gallery;preview_id;variants",
		"A;A;" + two + "|" + one + ";" + one + ";" + quoted(`[{"sku":"A-1","price":5},{"sku":"A-2","options":{"colour":"red"},"image_id":"`+two+`","id":"999"}]`),
		"B;B;" + gone + ";;",
		"C;C;x;;",
		"D;D;;;" + quoted(`[{"sku":"A-1"}]`),
		"E;E;;;" + quoted(`{"sku":"E-1"}`),
		"F;F;;;" + quoted(`[{"sku":"F-1","gallery_id":77}]`),
		"G;A-2;;;",
	}, "\n")
	for _, dry := range []bool{true, false} {
		report := b.Result("POST", "/products/import", b.Owner, m{"text": text, "dry_run": dry, "strict": true})
		wantRows(t, "import", rowsOf(report), "created", "error PRODUCT_FILE_NOT_FOUND", "error IMPORT_CELL_INVALID", "error already_exists",
			"error IMPORT_CELL_INVALID", "error GALLERY_NOT_FOUND", "error already_exists")
	}
	if total, _ := b.list("", b.Owner); total != 1 {
		t.Errorf("%d products: a line with refused variants should add none", total)
	}
	card := b.Result("GET", "/products/by-slug/a", b.Owner, nil)
	wantRows(t, "gallery", names(card["gallery"], "id"), two, one)
	wantRows(t, "variants", names(card["variants"], "sku"), "A-1", "A-2")
	show(t, "preview", card, one, "preview", "id")
	if got := b.imported("sku,variants,gallery\nA,,\n")[0]; !strings.HasPrefix(got, "updated gallery:"+two) ||
		!strings.Contains(got, "variants:[{") {
		t.Error(got)
	}
	card = b.Result("GET", "/products/by-slug/a", b.Owner, nil)
	show(t, "empty cells clear", card, l{}, "variants")
	show(t, "empty cells clear", card, l{}, "gallery")
}

func TestConflictingSKUAndIDAreRefused(t *testing.T) {
	b := open(t)
	one, two := b.add("products", m{"name": "One", "sku": "1"}), b.add("products", m{"name": "Two", "sku": "2"})
	text := fmt.Sprintf(
		"id,sku,name\n%[1]s,2,x\n%[1]s,new,Renamed\n%[1]s,,Bare\n%[2]s,new,Taken\n,2,By sku\n0,3,Three\n999999,4,Four\n",
		id(one), id(two),
	)
	wantRows(
		t, "import", b.imported(text), "error IMPORT_KEY_CONFLICT", "error IMPORT_KEY_CONFLICT",
		"updated sku:1> name:One>Bare", "error IMPORT_KEY_CONFLICT", "updated name:Two>By sku", "created", "created",
	)
}

func TestAFileIsDecodedInItsEncoding(t *testing.T) {
	b := open(t)
	cp1251, err := charmap.Windows1251.NewEncoder().String("sku;name\rЧ;Чай\r")
	if err != nil {
		t.Fatal(err)
	}
	send := func(query, contentType, body string) apitest.Answer {
		return b.Send(apitest.Request{
			Method: "POST", Path: "/products/import/file" + query, Key: b.Owner, Body: body, Header: map[string]string{"Content-Type": contentType},
		})
	}
	if answer := send("", "text/csv", cp1251); answer.Status != 400 || apitest.Code(answer.JSON) != "IMPORT_ENCODING_INVALID" ||
		!strings.Contains(string(answer.Body), "line 2") {
		t.Errorf("%d %s", answer.Status, answer.Body)
	}
	wantRows(t, "dry run", rowsOf(send("?encoding=windows-1251&dry_run=true", "text/csv", cp1251).JSON["result"].(m)), "created")
	wantRows(t, "import", rowsOf(send("?encoding=windows-1251", "text/csv", cp1251).JSON["result"].(m)), "created")
	show(t, "name", b.Result("GET", "/products/by-slug/chay", b.Owner, nil), "Чай", "name")
	form := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\n\ufeffsku,name,colour\r\nЧ,Кофе,red\r\n\r\n--x--\r\n"
	answer := send("", "multipart/form-data; boundary=x", form)
	wantRows(t, "a form", rowsOf(answer.JSON["result"].(m)), "updated name:Чай>Кофе")
	show(t, "ignored", answer.JSON["result"].(m), l{"colour"}, "ignored_columns")
	if answer := send("", "text/csv", strings.Repeat("x", 17<<20)); answer.Status != 400 || apitest.Code(answer.JSON) != "IMPORT_TOO_LARGE" {
		t.Errorf("%d %s", answer.Status, answer.Body)
	}
}

func TestLinesThatDoNotFitTheHeaderFailAlone(t *testing.T) {
	b := open(t)
	wantRows(t, "import", b.imported("sku,name\nA,A,\nB,B,C\nD\n\n\nE,5\" pipe\n\"F\"x,F\n"),
		"created", "error IMPORT_CELL_INVALID", "error PRODUCT_NAME_REQUIRED", "created", "error IMPORT_CELL_INVALID")
}

func TestAnImportStopsAtThePlanLimit(t *testing.T) {
	b := open(t)
	b.Limit(companydb.Limits{store.LimitProducts: 2})
	text := "sku,name,variants\nA,A,\nB,,\nC,C,\"[{}]\"\nD,D,\nE,E,[{}]\nA,Again,\n"
	want := []string{
		"created", "error PRODUCT_NAME_REQUIRED", "created", "error PRODUCT_LIMIT_REACHED", "error PRODUCT_LIMIT_REACHED",
		"updated name:A>Again",
	}
	for _, dry := range []bool{true, false} {
		report := b.Result("POST", "/products/import", b.Owner, m{"text": text, "dry_run": dry})
		wantRows(t, "import", rowsOf(report), want...)
	}
}

func TestTheDraftIsImportedAndExportedSeparately(t *testing.T) {
	b := open(t)
	b.add("products", m{"name": "Tea", "sku": "T"})
	report := b.Result("POST", "/products/import", b.Dev, m{"text": "sku,name\nT,Draft\nN,New\n"})
	wantRows(t, "draft", rowsOf(report), "updated name:Tea>Draft", "created")
	if live, draft := string(b.exportOf(b.Owner)), string(b.exportOf(b.Dev)); strings.Contains(live, "Draft") ||
		!strings.Contains(draft, "Draft") ||
		!strings.Contains(draft, "New") {
		t.Errorf("live %s\ndraft %s", live, draft)
	}
}

func TestASectionIsExportedAlone(t *testing.T) {
	b := open(t)
	tea := b.section("product", "Tea")
	green := b.add("categories", m{"name": "Green", "type": "product", "parent_id": id(tea)})
	b.add("products", m{"name": "A", "sku": "A", "category_id": tea["id"]})
	b.add("products", m{"name": "B", "sku": "B", "categories": l{green["id"]}})
	b.add("products", m{"name": "C", "sku": "C"})
	for query, want := range map[string]string{
		"": "A B C", "?filter.category_id=" + id(tea): "A", "?filter.category_id=" + id(green): "B",
		"?filter.category_id=" + id(tea) + "&filter.include_subtree=true": "A B", "?filter.category_id=999999": "", "?filter.include_subtree=true": "A B C",
	} {
		answer := b.Send(apitest.Request{Method: "GET", Path: "/products/export" + query, Key: b.Owner})
		var skus []string
		for _, line := range strings.Split(strings.TrimSpace(string(answer.Body)), "\n")[1:] {
			skus = append(skus, strings.Split(line, ",")[1])
		}
		if got := strings.Join(skus, " "); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if answer := b.Send(apitest.Request{Method: "HEAD", Path: "/products/export", Key: b.Owner}); answer.Status != 200 ||
		len(answer.Body) != 0 {
		t.Errorf("HEAD: %d, %d bytes", answer.Status, len(answer.Body))
	}
}

// The reason of a refused line begins with the column.
func TestARefusedLineNamesItsColumn(t *testing.T) {
	b := open(t)
	set := func(fields string) string {
		return `"[{""title"":""One"",` + strings.ReplaceAll(fields, `"`, `""`) + `}]"`
	}
	report := b.Result("POST", "/products/import", b.Owner, m{"strict": true, "text": "name,price,old_price,slug,gtin,og_image_id,variants\n" +
		"A,-1,,,,,\nB,1,-1,,,,\nC,1,,cart,,,\nD,1,,,123,,\nE,1,,,,7f0c2b1e-9a54-4c1b-8a0e-0d5a3a1f6b11,\nF,1,,,,," + set(`"swatch":"red"`) + "\nG,1,,,,," + set(`"price":-1`) + "\n"})
	for n, want := range []string{"price: ", "old_price: ", "slug: ", "gtin: ", "og_image_id: ", "variants[0].swatch: ", "variants[0].price: "} {
		row := report["rows"].(l)[n].(m)
		if got, _ := row["reason"].(string); row["status"] != "error" || !strings.HasPrefix(got, want) {
			t.Errorf("line %d: %v, want %q", n+2, row, want)
		}
	}
}
