package movein_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/await"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
)

// A draft of an imported product keeps what its owner typed, and publishing it keeps what an import
// changed in the shop meanwhile: other fields arrive beside the draft's, and of the same field there is
// a conflict.
func TestAnImportBesideADraftOfItsProduct(t *testing.T) {
	t.Parallel()
	y := open(t)
	y.imported(shirts)
	at := "/products/" + ID(y.product("shirt"))
	edit := func(name string) { y.OK("PUT", at, y.Dev, m{"item": m{"name": name}}) }
	is := func(who, when, name, brand string) {
		t.Helper()
		if p := y.Result("GET", at, who, nil); p["name"] != name || who == y.Owner && p["brand"] != brand {
			t.Errorf("%s: %v by %v, want %s by %s", when, p["name"], p["brand"], name, brand)
		}
	}
	edit("Shirt of the draft")
	y.imported(strings.ReplaceAll(shirts, "Acme", "Bcme"))
	is(y.Dev, "the draft", "Shirt of the draft", "")
	is(y.Owner, "the shop", "Shirt", "Bcme")
	y.OK("POST", "/drafts/publish", y.Dev, m{"all": true})
	is(y.Owner, "published", "Shirt of the draft", "Bcme")

	edit("Shirt of the next draft")
	y.imported(strings.ReplaceAll(shirts, ",Shirt,", ",Shirt of the file,"))
	is(y.Dev, "the next draft", "Shirt of the next draft", "")
	is(y.Owner, "the shop with the next file", "Shirt of the file", "Acme")
	refused := y.Refused("POST", "/drafts/publish", y.Dev, m{"all": true}, 409, "DRAFT_CONFLICT")
	if items := fmt.Sprint(refused["items"]); !strings.Contains(items, "kind:product") {
		t.Errorf("the conflict: %v", refused)
	}
	is(y.Owner, "after a refused publish", "Shirt of the file", "Acme")
}

// Two imports of the same files at once bring everything once: each chunk of one waits for that of
// the other.
func TestTwoImportsOfTheSameFilesAtOnce(t *testing.T) {
	t.Parallel()
	y := open(t)
	var ids []string
	for range 2 {
		got := y.form(y.owner, nil, shirts)
		if got.Status != 202 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		ids = append(ids, got.JSON["result"].(m)["id"].(string))
	}
	loop := y.Admin.Jobs()
	due, err := loop.Claim(t.Context(), 1)
	if err != nil || len(due) != 1 {
		t.Fatal(len(due), err)
	}
	// A shop has one job at a time, unless two workers claim at the same instant.
	if _, err := y.Store.Pool.Exec(t.Context(), `UPDATE job SET state = 'queued' WHERE state = 'running'`); err != nil {
		t.Fatal(err)
	}
	second, err := loop.Claim(t.Context(), 1)
	if err != nil || len(second) != 1 {
		t.Fatal(len(second), err)
	}
	if _, err := y.Store.Pool.Exec(t.Context(), `UPDATE job SET state = 'running'`); err != nil {
		t.Fatal(err)
	}
	due = append(due, second...)
	// The shop's row is held, so that both are in the middle of their first chunk.
	held, err := y.Store.Pool.Begin(t.Context())
	if err == nil {
		_, err = held.Exec(t.Context(), `SELECT FROM company WHERE id = $1 FOR UPDATE`, y.Shop.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	for _, c := range due {
		done.Go(func() {
			if err := loop.Deliver(t.Context(), 0, c); err != nil {
				t.Error(err)
			}
		})
	}
	y.waiting(2)
	if err := held.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	done.Wait()
	created := map[string]int{}
	for _, id := range ids {
		for _, w := range y.done(id)["result"].(m)["written"].(l) {
			created[w.(m)["kind"].(string)] += int(w.(m)["created"].(float64))
		}
	}
	if all := y.products(); len(all) != 2 || created["product"] != 2 {
		t.Errorf("%d products, created %v", len(all), created)
	}
}

// waiting waits until so many statements wait for locks.
func (y *yard) waiting(n int) {
	y.t.Helper()
	there := await.Until(func() bool {
		var now int
		err := y.Store.Pool.QueryRow(y.t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&now)
		return err == nil && now >= n
	})
	if !there {
		y.t.Fatalf("fewer than %d statements wait", n)
	}
}

// money gives the shop a currency with so many decimals.
func (y *yard) money(currency string, digits int) {
	y.t.Helper()
	y.write(func(ctx context.Context, tx *store.Tx) error {
		if err := companydb.SetPriceDigits(ctx, tx, digits); err != nil {
			return err
		}
		_, err := tx.DB.Exec(ctx, `UPDATE company SET currency = $2 WHERE id = $1`, tx.Company, currency)
		return err
	})
}

func (y *yard) write(do func(ctx context.Context, tx *store.Tx) error) {
	y.t.Helper()
	if err := y.Store.Write(y.t.Context(), y.Shop.ID, func(tx *store.Tx) error { return do(y.t.Context(), tx) }); err != nil {
		y.t.Fatal(err)
	}
}

// Prices arrive in the units of the shop, whatever these are. What it cannot have is a loss.
func TestPricesInOtherMoney(t *testing.T) {
	t.Parallel()
	for currency, want := range map[string]struct {
		digits              int
		plain, option, lost any
	}{"KWD": {3, 5125.0, 12000.0, nil}, "JPY": {0, 5.0, 12.0, 1.0}} {
		t.Run(currency, func(t *testing.T) {
			t.Parallel()
			y := open(t)
			y.money(currency, want.digits)
			result := y.imported(strings.Replace(shirts, "5.00", "5.125", 1))["result"].(m)
			var lost any
			for _, one := range result["losses"].(l) {
				if one.(m)["what"] == "PRICE_ROUNDED" {
					lost = one.(m)["count"]
				}
			}
			plain := y.product("cup")["price"].(m)["price"]
			option := y.product("shirt")["variants"].(l)[1].(m)["price"]
			if plain != want.plain || option != want.option || lost != want.lost {
				t.Errorf("%v, %v, lost %v; want %v", plain, option, lost, want)
			}
		})
	}
}

// The plan of files above 20 MB is the result of a job, and changes nothing.
func TestALargePlanIsAJob(t *testing.T) {
	t.Parallel()
	y := open(t)
	var large strings.Builder
	large.WriteString(shirts)
	long := strings.Repeat("Warm and soft. ", 6000)
	for i := range 250 {
		fmt.Fprintf(&large, "long-%d,Long %d,%s,Acme,,,true,Title,Default Title,L-%d,5.00,,,active\n", i, i, long, i)
	}
	got := y.form(y.owner, map[string]string{"dry_run": "true"}, large.String())
	if got.Status != 202 {
		t.Fatalf("%d %.200s", got.Status, got.Body)
	}
	y.work()
	j := y.done(got.JSON["result"].(m)["id"].(string))
	plan := j["result"].(m)
	if counts := plan["counts"].(m); plan["system"] != "shopify" || counts["products"] != 252.0 {
		t.Errorf("%v", plan["counts"])
	}
	if all := y.products(); len(all) != 0 {
		t.Errorf("%d products", len(all))
	}
	if list := y.OK("GET", "/v1/imports", y.owner, nil)["result"].(l); len(list) != 0 {
		t.Errorf("a plan is an import: %v", list)
	}
}

// A key without customers:write brings everything but customers, which are named losses.
func TestAKeyThatMayNotWriteCustomers(t *testing.T) {
	t.Parallel()
	y := open(t)
	const people = "First Name,Last Name,Email,Accepts Email Marketing,Phone,Note,Tags\nAnn,Lee,ann@people.test,yes,,,\nBen,Ray,ben@people.test,no,,,\n"
	brings := func(key string) m {
		t.Helper()
		got := y.form(key, nil, shirts, people)
		if got.Status != 202 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		y.work()
		return y.done(got.JSON["result"].(m)["id"].(string))["result"].(m)
	}
	customers := func() int { return len(y.Result("GET", "/customers", y.owner, nil)["items"].(l)) }
	lost := fmt.Sprint(brings(y.Scoped("catalog:write"))["losses"])
	if !strings.Contains(lost, "count:2") || !strings.Contains(lost, "CUSTOMERS_NOT_ALLOWED") {
		t.Errorf("losses %s", lost)
	}
	if len(y.products()) != 2 || customers() != 0 {
		t.Errorf("%d products, %d customers", len(y.products()), customers())
	}
	brings(y.Scoped("catalog:write", "customers:write"))
	if len(y.products()) != 2 || customers() != 2 {
		t.Errorf("with the scope: %d products, %d customers", len(y.products()), customers())
	}
}
