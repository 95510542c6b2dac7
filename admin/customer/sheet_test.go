package customer_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"vitrine/admin/api/apitest"
	"vitrine/internal/await"
	"vitrine/internal/golden"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// imports imports a CSV and returns the counts, then each line with its status and reason.
func (d *fixture) imports(text string, dry bool) string {
	d.t.Helper()
	r := d.Result("POST", "/customers/import", d.Owner, m{"text": text, "dry_run": dry})
	lines := []string{fmt.Sprint(r["created"], r["updated"], r["skipped"], r["errors"])}
	for _, one := range r["rows"].(l) {
		row := one.(m)
		lines = append(lines, strings.TrimSpace(fmt.Sprint(row["line"], ": ", row["email"], " ", row["status"], " ", row["reason"])))
	}
	return strings.Join(lines, "\n")
}

func (d *fixture) export(query string) string {
	d.t.Helper()
	a := d.Send(apitest.Request{Method: "GET", Path: "/customers/export" + query, Key: d.Owner})
	if a.Status != 200 {
		d.t.Fatalf("%d %s", a.Status, a.Body)
	}
	return string(a.Body)
}

// Lines are imported one by one: an invalid one is reported and does not affect the others, and
// importing again changes nothing.
func TestAnImportAcceptsTheValidLines(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Result("POST", "/customer-groups", d.Owner, m{"name": "Friends"})
	d.Result("POST", "/customer-groups", d.Owner, m{"name": "Rich", "rule": m{"spent_more_than": 10}})
	d.Result("POST", "/customers", d.Owner, m{"email": "old@people.test", "name": "Old", "note": "stays"})
	text := "\ufeffName;E-Mail;EMAIL;Groups;spent\r\n" +
		"Ann;x; Ann@People.test ;friends; rich;9\r\n" + // the ; between groups makes one cell too many
		"Bob;x;bob@people.test;\"Friends; RICH\";9\r\n" +
		"\r\n" +
		"Cleo;x;no address;;\r\n" +
		"\"Two\nlines\";x;two@people.test;;\r\n" +
		"Dan;x;dan@people.test;Strangers;\r\n" +
		"Bob again;x;BOB@people.test;;\r\n" +
		"Nobody;x;;;\r\n" +
		"Bad \"quote;x;q@people.test;;\r\n" + // a quote within a cell is literal
		";x;old@people.test;;\r\n" +
		strings.Repeat("n", 256) + ";x;long@people.test;;\r\n" +
		"'=1+2;x;sum@people.test;;\r\n" +
		"Bell\a;x;bell@people.test;;"
	want := `5 0 2 5
2: Ann@People.test created
3: bob@people.test created
5: no address error EMAIL_INVALID
6: two@people.test created
8: dan@people.test error GROUP_UNKNOWN
9: BOB@people.test error DUPLICATE_IN_FILE
10:  skipped NO_EMAIL
11: q@people.test created
12: old@people.test skipped UNCHANGED
13: long@people.test error TEXT_TOO_LONG
14: sum@people.test created
15: bell@people.test error TEXT_INVALID`
	golden.Ordered(t, "tried", strings.Split(d.imports(text, true), "\n"), strings.Split(want, "\n"))
	if n := len(d.list("/customers")); n != 1 {
		t.Errorf("a dry run wrote %d", n)
	}
	golden.Ordered(t, "imported", strings.Split(d.imports(text, false), "\n"), strings.Split(want, "\n"))
	if got := d.imports(text, false); !strings.HasPrefix(got, "0 0 7 5\n") {
		t.Errorf("again: %s", got)
	}
	if got := fields(d.list("/customers?sort=name"), "name", "note"); strings.Join(got, "; ") != "=1+2 ; Ann ; Bad \"quote ; Bob ; Old stays; Two\nlines " {
		t.Errorf("%q", got)
	}
	for one, code := range map[string]string{
		"": "IMPORT_EMPTY", "email,name\n": "IMPORT_EMPTY",
		"a,b\n1,2": "CUSTOMER_IMPORT_INVALID", "name;phone": "CUSTOMER_IMPORT_INVALID", "\"email": "CUSTOMER_IMPORT_INVALID",
	} {
		d.Refused("POST", "/customers/import", d.Owner, m{"text": one}, 400, code)
	}
}

// Sheets of other programs have the name in two columns, guard cells with an apostrophe and
// have unknown columns, which the report lists.
func TestAnImportReadsOtherSheets(t *testing.T) {
	t.Parallel()
	d := open(t)
	text := "sep=;\n\ufeff\u200bE-Mail Address;'First Name;Surname;Telephone;Loyalty points;=Tags\n" +
		"'ann@people.test;Ann;Miller;'+49 30 1234;7;x\n" +
		"bob@people.test;;Bobson;'030 99;;\n" +
		"cleo@people.test;'t;Hooft;'=1;;\n" +
		strings.Repeat("f", 200) + "@people.test;" + strings.Repeat("f", 200) + ";" + strings.Repeat("l", 200) + ";;;\n"
	r := d.Result("POST", "/customers/import", d.Owner, m{"text": text, "dry_run": true})
	if fmt.Sprint(r["ignored_columns"]) != "[Loyalty points =Tags]" || r["created"] != 3.0 || r["errors"] != 1.0 {
		t.Errorf("%v", r)
	}
	d.Result("POST", "/customers/import", d.Owner, m{"text": text})
	want := "'t Hooft =1; Ann Miller +49 30 1234; Bobson 030 99"
	if got := strings.Join(fields(d.list("/customers?sort=name"), "name", "phone"), "; "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	both := d.Result("POST", "/customers/import", d.Owner, m{"text": "email,name,first_name,last_name\nann@people.test,Dr. Ann Miller,Ann,Miller\nbob@people.test,,Bob,Bobson\n"})
	if got := fields(d.list("/customers?sort=name"), "name"); both["updated"] != 2.0 || fmt.Sprint(got) != "['t Hooft Bob Bobson Dr. Ann Miller]" {
		t.Errorf("%v %v", both, got)
	}
	many := d.Result("POST", "/customers/import", d.Owner, m{"text": "email" + strings.Repeat(","+strings.Repeat("é", 500), 500) + "\nann@people.test\n"})["ignored_columns"].(l)
	if len(many) != 100 || utf8.RuneCountInString(many[0].(string)) != 201 {
		t.Errorf("%d ignored columns are listed", len(many))
	}
	if own := d.Result("POST", "/customers/import", d.Owner, m{"text": d.export("")}); own["skipped"] != 3.0 {
		t.Errorf("our own export: %v", own)
	}
}

// An export of another system is refused as a whole.
func TestAnImportRefusesOtherSystems(t *testing.T) {
	t.Parallel()
	d := open(t)
	text := "Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Phone\n'1,Ann,Miller,ann@people.test,yes,'030\n"
	answer := d.Refused("POST", "/customers/import", d.Owner, m{"text": text}, 400, "IMPORT_FOREIGN")
	if !strings.HasSuffix(answer["error"].(string), "IMPORT_FOREIGN: shopify") || !strings.Contains(fmt.Sprint(answer["guidance"]), "first_name") {
		t.Errorf("%v", answer)
	}
	if n := len(d.list("/customers")); n != 0 {
		t.Errorf("%d customers", n)
	}
}

// Every kind of line ending separates lines.
func TestAnImportReadsLinesHoweverTheyEnd(t *testing.T) {
	t.Parallel()
	d := open(t)
	for i, end := range []string{"\n", "\r\n", "\r"} {
		text := strings.ReplaceAll(fmt.Sprintf("\ufeffname,email|\"Two\nlines\",a%d@people.test||B,b%d@people.test|", i, i), "|", end)
		if got := strings.Fields(d.imports(text, false)); strings.Join(got[:4], "") != "2000" {
			t.Errorf("%q: %q", end, got)
		}
	}
	if got := fields(d.list("/customers?filter.query=lines"), "name"); strings.Join(got, "|") != "Two\nlines|Two\nlines|Two\nlines" {
		t.Errorf("%q", got)
	}
}

// Importing an export changes nothing, and a spreadsheet evaluates no cell of it as a formula.
func TestAnExportCanBeImported(t *testing.T) {
	t.Parallel()
	d := open(t)
	friends := d.Result("POST", "/customer-groups", d.Owner, m{"name": "Friends"})
	for i, name := range []string{"=cmd|' /C calc'!A0", "+1", "-2", "@x", "'=guarded", `"quoted", and; so`, "Two\nlines", "Ünïcödé 🐦"} {
		d.Result("POST", "/customers", d.Owner, m{"email": fmt.Sprintf("p%d@people.test", i), "name": name, "note": name, "group_ids": l{friends["id"]}})
	}
	d.buys(d.guest(), "") // without an address
	d.buys(d.guest(), "+plus@people.test")
	before := d.export("")
	records, err := csv.NewReader(strings.NewReader(before)).ReadAll()
	if err != nil || len(records) != 11 {
		t.Fatalf("%d lines, %v", len(records), err)
	}
	for _, record := range records {
		for _, cell := range record {
			if strings.ContainsAny(cell[:min(1, len(cell))], "=+-@\t\r") {
				t.Errorf("a spreadsheet evaluates %q", cell)
			}
		}
	}
	if got := d.imports(before, false); !strings.HasPrefix(got, "0 0 10 0\n") {
		t.Errorf("%s", got)
	}
	if after := d.export(""); after != before {
		t.Errorf("%s\nbecame\n%s", before, after)
	}
	if got := strings.Count(d.export("?filter.query=plus"), "\n"); got != 2 {
		t.Errorf("%d lines", got)
	}
}

// An import is limited, and invalid text is refused.
func TestImportsAreLimited(t *testing.T) {
	t.Parallel()
	d := open(t)
	lines := func(n int) string {
		var b strings.Builder
		b.WriteString("email,name\n")
		for i := range n {
			fmt.Fprintf(&b, "p%d@people.test,P\n", i)
		}
		return b.String()
	}
	d.Refused("POST", "/customers/import", d.Owner, m{"text": lines(100_000)}, 400, "CUSTOMER_IMPORT_TOO_LARGE")
	d.Refused("POST", "/customers/import", d.Owner, m{"text": lines(10_001)}, 400, "CUSTOMER_IMPORT_TOO_LARGE")
	if got := d.imports(lines(10_000), false); !strings.HasPrefix(got, "10000 0 0 0\n") {
		t.Errorf("%.100s", got)
	}
	if got := d.imports(lines(10_000), false); !strings.HasPrefix(got, "0 0 10000 0\n") {
		t.Errorf("%.100s", got)
	}
	if got := d.imports("email,name\nx@people.test,"+strings.Repeat("n", 4<<20), false); got != "0 0 0 1\n2:  error TEXT_TOO_LONG" && got != "0 0 0 1\n2: x@people.test error TEXT_TOO_LONG" {
		t.Errorf("a huge cell: %.100s", got)
	}
	open := d.imports("email,name\na1@people.test,A\nb1@people.test,\"B\nc1@people.test,C\n", false)
	if open != "1 0 0 1\n2: a1@people.test created\n3:  error LINE_MALFORMED" {
		t.Errorf("an open quote: %s", open)
	}
	bad := d.Send(apitest.Request{Method: "POST", Path: "/customers/import", Key: d.Owner, Body: []byte("{\"text\":\"email,name\\nx@people.test,\xff\xfe\"}")})
	if bad.Status != 400 || utf8.Valid([]byte{0xff}) {
		t.Errorf("invalid UTF-8: %d %s", bad.Status, bad.Body)
	}
}

// A customer who orders for the first time during an import that names them is found by the
// import.
func TestAnImportFindsCustomersCreatedMeanwhile(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Sent.Take()
	done := make(chan apitest.Answer, 1)
	err := d.Store.Write(t.Context(), d.Shop.ID, func(tx *store.Tx) error {
		if err := people.AddCustomers(t.Context(), tx, []people.Customer{{Email: "ann@people.test"}}); err != nil {
			return err
		}
		d.Sent.Take()
		go func() {
			done <- d.Send(apitest.Request{Method: "POST", Path: "/customers/import", Key: d.Owner, Body: m{"text": "email,name\nbob@people.test,Bob\nann@people.test,Ann\n"}})
		}()
		d.WaitForStatement("INSERT INTO customer (")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := await.Next(t, done); got.Status != 200 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if got := fields(d.list("/customers?sort=name"), "email", "name"); strings.Join(got, "; ") != "ann@people.test Ann; bob@people.test Bob" {
		t.Errorf("%q", got)
	}
}
