package backup

import "testing"

func TestIDsInTextsAreRenumbered(t *testing.T) {
	t.Parallel()
	m := IDs{"category": {1: 11, 2: 12}, "product": {1: 21}, "form": {1: 31}, "site_file": {1: 41}}
	for text, want := range map[string]string{
		`svc:page/2`:                    `svc:page/12`,
		`SVC:page/2?a=1#b`:              `SVC:page/12?a=1#b`,
		`<a href="svc:page/2">2</a>`:    `<a href="svc:page/12">2</a>`,
		`<a href=' svc:page/9'>`:        `<a href=' svc:page/0'>`,
		`svc:page/99999999999999999999`: `svc:page/0`,
		`form:1?topic=1`:                `form:31?topic=1`,
		`<a href=form:1>`:               `<a href=form:31>`,
		`a platform:1, a form: 1`:       `a platform:1, a form: 1`,
		`/_vitrine/form/1`:              `/_vitrine/form/31`,
		`https://a.test/svc:page/2`:     `https://a.test/svc:page/2`,
		`form:1 form:1 svc:page/1`:      `form:31 form:31 svc:page/11`,
	} {
		if got := m.texts(text); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		`<b svc-add-to-cart="1">`:     `<b svc-add-to-cart="21">`,
		`<b svc-fav=1 data-svc=1>`:    `<b svc-fav=21 data-svc=1>`,
		`<b SVC-Add-To-Cart = ' 7'>`:  `<b SVC-Add-To-Cart = ' 0'>`,
		`<b svc-add-to-cart="{{p}}">`: `<b svc-add-to-cart="{{p}}">`,
	} {
		if got := m.renumber(text, attributes); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		`{{product_url 1}} {{product_url "1"}}`:                `{{product_url 21}} {{product_url "21"}}`,
		`{{with category_url 2}}{{.}}{{end}}`:                  `{{with category_url 12}}{{.}}{{end}}`,
		`{{file_url 1}} {{file_path 1}} {{file_url 5}}`:        `{{file_url 41}} {{file_path 41}} {{file_url 0}}`,
		`{{1 | product_url}} {{"2" | category_url}}`:           `{{21 | product_url}} {{"12" | category_url}}`,
		`{{range products "category=tea, 2,77" "limit=2"}}`:    `{{range products "category=tea, 12,77" "limit=2"}}`,
		"{{range products `exclude_category=1`}}":              "{{range products `exclude_category=11`}}",
		`{{product_url .ID}} {{printf "%d" 1}} {{index $x 1}}`: `{{product_url .ID}} {{printf "%d" 1}} {{index $x 1}}`,
	} {
		if got := m.template(text); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
}
