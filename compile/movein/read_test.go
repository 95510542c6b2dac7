package movein_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/compile/movein"
	"vitrine/internal/shop"
)

var eur = movein.Shop{Currency: "EUR", Digits: 2, Language: "en", Now: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)}

func file(name, text string) movein.File {
	return movein.File{Name: name, Size: int64(len(text)), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// memory is a spool that is not a file.
type memory struct{ bytes.Buffer }

func newSpool() *memory { return &memory{} }

func (m *memory) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(m.Bytes()).ReadAt(p, at)
}

// loaded loads everything that a plan does not hold.
func loaded(plan *movein.Plan, err error) (*movein.Plan, error) {
	if err != nil {
		return nil, err
	}
	for _, p := range plan.Products {
		err = errors.Join(err, p.Load())
	}
	for i := range plan.Articles {
		err = errors.Join(err, plan.Articles[i].Load())
	}
	for i := range plan.Pages {
		err = errors.Join(err, plan.Pages[i].Load())
	}
	return plan, err
}

// read reads texts as files of one import.
func read(t *testing.T, choices map[string]string, texts ...string) *movein.Plan {
	t.Helper()
	var files []movein.File
	for i, text := range texts {
		files = append(files, file(fmt.Sprintf("file%d", i+1), text))
	}
	plan, err := loaded(movein.Read(files, eur, choices, newSpool()))
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// one reads texts that hold one product.
func one(t *testing.T, texts ...string) *movein.Product {
	t.Helper()
	plan := read(t, nil, texts...)
	if len(plan.Products) != 1 {
		t.Fatalf("%d products: %+v, losses %+v", len(plan.Products), plan.Products, plan.Losses)
	}
	return plan.Products[0]
}

func lost(plan *movein.Plan) (codes []string) {
	for _, l := range plan.Losses {
		codes = append(codes, fmt.Sprintf("%s %d", l.What, l.Count))
	}
	return codes
}

func wantLost(t *testing.T, plan *movein.Plan, want ...string) {
	t.Helper()
	if got := lost(plan); !slices.Equal(got, want) {
		t.Errorf("losses %q, want %q: %+v", got, want, plan.Rows)
	}
}

// said prints what a shop shows of a product.
func said(p *movein.Product) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s|%s|%s|%s", p.Name, p.SKU, shop.Amount(p.Price, 2), number(p.Stock))
	if p.OldPrice > 0 {
		fmt.Fprintf(&b, "|was %s", shop.Amount(p.OldPrice, 2))
	}
	if !p.Published {
		b.WriteString("|hidden")
	}
	for _, v := range p.Variants {
		fmt.Fprintf(&b, "; %s=%s|%s|%s|%s", strings.Join(p.Options, "/"), strings.Join(v.Values, "/"), v.SKU, money(v.Price), number(v.Stock))
		if v.OldPrice != nil {
			fmt.Fprintf(&b, "|was %s", money(v.OldPrice))
		}
	}
	return b.String()
}

func number(n *int) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}

func money(n *int64) string {
	if n == nil {
		return "-"
	}
	return shop.Amount(*n, 2)
}

func wantProduct(t *testing.T, p *movein.Product, want string) {
	t.Helper()
	if got := said(p); got != want {
		t.Errorf("\n%s, want\n%s", got, want)
	}
}

const shopifyHeader = "Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Variant Compare At Price,Variant Barcode,Image Src,Image Position,Image Alt Text,SEO Title,SEO Description,Variant Image,Status\n"

func TestColumnsMayComeInAnyOrderAndAmongUnknownOnes(t *testing.T) {
	p := one(t, "Unknown, variant\u00a0PRICE ,\u200bTitle,Handle,Variant SKU\nx,5.00,Tea,tea,T-1\n")
	wantProduct(t, p, "Tea|T-1|5.00|-")
}

func TestAFileIsRecognisedByItsHeaderNotByItsName(t *testing.T) {
	_, err := movein.Read([]movein.File{file("shopify_products_export.csv", "name;price\nTea;5\n")}, eur, nil, newSpool())
	if !errors.Is(err, movein.ErrUnknown) || !strings.Contains(err.Error(), "shopify_products_export.csv") {
		t.Error(err)
	}
	_, err = movein.Read([]movein.File{file("p.xlsx", "PK\x03\x04\x14\x00\x06\x00")}, eur, nil, newSpool())
	if !errors.Is(err, movein.ErrUnknown) || !strings.Contains(err.Error(), "CSV") {
		t.Error(err)
	}
}

// Tables that look like those of Shopify are not taken for them.
func TestLookAlikesAreNotRecognised(t *testing.T) {
	for _, text := range []string{"Product Id,Product Handle,Product Title,Product Status,Variant SKU,Variant Inventory Quantity,Price EUR\n", "handle,title,description\n"} {
		if _, err := movein.Read([]movein.File{file("a", text)}, eur, nil, newSpool()); !errors.Is(err, movein.ErrUnknown) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestUnknownColumnsLowerTheConfidence(t *testing.T) {
	if plan := read(t, nil, shopifyHeader+"tea,Tea\n"); plan.Confidence != 1 || plan.System != "shopify" {
		t.Error(plan.Confidence, plan.System)
	}
	if plan := read(t, nil, strings.Repeat("x,", 60)+"Handle,Title,Variant Price\n"); plan.Confidence > 0.6 || plan.Confidence < 0.5 {
		t.Error(plan.Confidence)
	}
}

func TestFilesOfTwoSystemsAreNotOneImport(t *testing.T) {
	files := []movein.File{file("a", shopifyHeader+"tea,Tea\n"), file("b", "source,target,regex,code\n/a,/b,0,301\n")}
	if _, err := movein.Read(files, eur, nil, newSpool()); !errors.Is(err, movein.ErrMixed) {
		t.Error(err)
	}
}

func TestTooManyOrTooLargeFilesAreRefused(t *testing.T) {
	if _, err := movein.Read(make([]movein.File, 51), eur, nil, newSpool()); !errors.Is(err, movein.ErrTooLarge) {
		t.Error(err)
	}
	if _, err := movein.Read([]movein.File{{Size: 200 << 20}, {Size: 57 << 20}}, eur, nil, newSpool()); !errors.Is(err, movein.ErrTooLarge) {
		t.Error(err)
	}
	if _, err := movein.Read(nil, eur, nil, newSpool()); !errors.Is(err, movein.ErrUnknown) {
		t.Error(err)
	}
}

func TestAnErrorOfAFileIsReturned(t *testing.T) {
	broken := errors.New("the disk is gone")
	f := file("a", "")
	f.Open = func() (io.ReadCloser, error) { return nil, broken }
	if _, err := movein.Read([]movein.File{f}, eur, nil, newSpool()); !errors.Is(err, broken) {
		t.Error(err)
	}
}

func TestRowsOfOneHandleAreOneProduct(t *testing.T) {
	p := one(t, shopifyHeader+
		"tea,Green Tea,<p>Leaves</p>,Isin,Drinks,\"a, b\",true,Size,Small,Colour,Red,T-S,50,shopify,3,5.00,,,https://cdn.example/2.jpg,2,Second,Seo,About,https://cdn.example/s.jpg,active\n"+
		"tea,,,,,,,,Large,,Red,T-L,100,shopify,-,6.00,7.00,4006381333931,https://cdn.example/1.jpg,1,First,,,,\n"+
		",,,,,,,,Large,,Blue,T-B,100,shopify,5,5.00,,,,,,,,,\n"+
		"tea,,,,,,,,,,,,,,,,,,https://cdn.example/3.jpg,3,,,,,\n")
	wantProduct(t, p, "Green Tea||5.00|-; Size/Colour=Small/Red|T-S|-|3; Size/Colour=Large/Red|T-L|6.00|-|was 7.00; Size/Colour=Large/Blue|T-B|-|5")
	if p.Variants[1].GTIN != "4006381333931" || p.Brand != "Isin" || p.Seo != (movein.Seo{Title: "Seo", Description: "About"}) || !slices.Equal(p.Tags, []string{"a", "b"}) || !p.StockByVariant || *p.Variants[0].WeightG != 50 {
		t.Errorf("%+v", p)
	}
	var pictures []string
	for _, one := range p.Pictures {
		pictures = append(pictures, one.Address[len("https://cdn.example/"):]+one.Alt)
	}
	if !slices.Equal(pictures, []string{"1.jpgFirst", "2.jpgSecond", "3.jpg", "s.jpg"}) || p.Variants[0].Picture != "https://cdn.example/s.jpg" {
		t.Errorf("%q", pictures)
	}
}

func TestAVariantWithoutATrackerIsNotCounted(t *testing.T) {
	p := one(t, shopifyHeader+"tea,Tea,,,,,true,Size,S,,,A,,,7,5,,,,,,,,,\ntea,,,,,,,,M,,,B,,shopify,0,5,,,,,,,,,\n")
	wantProduct(t, p, "Tea||5.00|-; Size=S|A|-|-; Size=M|B|-|0")
}

func TestPublishedAndStatusBothCount(t *testing.T) {
	for cells, want := range map[string]bool{"true,active": true, "true,draft": false, "TRUE,archived": false, "false,active": false, ",": true, "false,": false} {
		published, status, _ := strings.Cut(cells, ",")
		p := one(t, "Handle,Title,Published,Variant Price,Status\ntea,Tea,"+published+",5,"+status+"\n")
		if p.Published != want {
			t.Errorf("%q: %v", cells, p.Published)
		}
	}
}

func TestADefaultTitleIsAPlainProduct(t *testing.T) {
	p := one(t, shopifyHeader+"tea,Tea,,,,,true,Title,Default Title,,,T-1,250,shopify,4,5,6,4006381333931,,,,,,,\n")
	wantProduct(t, p, "Tea|T-1|5.00|4|was 6.00")
	if p.GTIN != "4006381333931" || *p.WeightG != 250 || len(p.Options) != 0 {
		t.Errorf("%+v", p)
	}
}

func TestTheNewerExportOfShopifyIsRead(t *testing.T) {
	p := one(t, "Title,URL handle,Description,Vendor,Product category,Type,Tags,Published on online store,Status,SKU,Barcode,Option1 name,Option1 value,Price,Price / Germany,Compare-at price,Inventory tracker,Inventory quantity,Weight value (grams),Product image URL,Image position,Image alt text,Variant image URL,SEO title,SEO description\n"+
		"Tea,tea,<p>x</p>,Isin,Food > Tea,Drinks,,TRUE,Active,T-1,'4006381333931,Size,S,5.00,9.00,6.00,shopify,4,20,https://cdn.example/1.jpg,1,Alt,,,\n,tea,,,,,,,,T-2,,,M,5.50,,,shopify,2,20,,,,,,\n")
	wantProduct(t, p, "Tea||5.00|-|was 6.00; Size=S|T-1|-|4; Size=M|T-2|5.50|2")
	if p.Variants[0].GTIN != "4006381333931" {
		t.Errorf("%+v", p.Variants)
	}
}

func TestTheOwnerChoosesWhatShopifysTypeBecomes(t *testing.T) {
	text := "Handle,Title,Product Category,Type,Variant Price\ntea,Tea,Food > Hot Drinks,Drinks,5\n"
	for choice, want := range map[string]string{"type": "[Drinks] []", "category": "[Food > Hot Drinks] []", "tag": "[] [Drinks]", "none": "[] []"} {
		p := read(t, map[string]string{"type": choice}, text).Products[0]
		if got := fmt.Sprint(p.Sections, p.Tags); got != want {
			t.Errorf("%s: %s, want %s", choice, got, want)
		}
	}
	plan := read(t, nil, text)
	if len(plan.Questions) != 1 || plan.Questions[0].Key != "type" || plan.Questions[0].Default != "type" || plan.Questions[0].Chosen != "type" || len(plan.Questions[0].Choices) != 4 {
		t.Errorf("%+v", plan.Questions)
	}
	if _, err := movein.Read([]movein.File{file("a", text)}, eur, map[string]string{"type": "collection"}, newSpool()); !errors.Is(err, movein.ErrChoice) {
		t.Error(err)
	}
}

func TestStockByPlaceIsSummed(t *testing.T) {
	p := one(t, shopifyHeader+"tea,Tea,,,,,true,Size,S,,,A,,shopify,,5,,,,,,,,,\ntea,,,,,,,,M,,,B,,shopify,,5,,,,,,,,,\n",
		"Handle,Title,Option1 Name,Option1 Value,SKU,Location,On hand (current)\ntea,Tea,Size,S,A,Main Street,3\ntea,Tea,Size,S,A,Harbour,4\ntea,Tea,Size,M,B,Harbour,1\n")
	wantProduct(t, p, "Tea||5.00|-; Size=S|A|-|7; Size=M|B|-|1")
}

func TestSkusAreOptional(t *testing.T) {
	p := one(t, shopifyHeader+"tea,Tea,,,,,true,Size,S,,,,,,,5,,,,,,,,,\ntea,,,,,,,,M,,,,,,,5,,,,,,,,,\n")
	wantProduct(t, p, "Tea||5.00|-; Size=S||-|-; Size=M||-|-")
}

func TestEncodings(t *testing.T) {
	text := "Handle,Title,Variant Price\ntea,Чай — зелёный,5\n"
	german := "ID,Typ,Artikelnummer,Name,Veröffentlicht,Regulärer Preis\n1,simple,T,Grüner Tee,1,\"1.234,50\"\n"
	russian := "ID,Тип,Артикул,Имя,Опубликован,Базовая цена\n1,simple,T,Чай,1,\"5,50\"\n"
	for name, c := range map[string]struct{ text, want string }{
		"utf-8":         {text, "Чай — зелёный"},
		"two marks":     {"\ufeff\ufeff" + text, "Чай — зелёный"},
		"utf-16le":      {utf16(text, false), "Чай — зелёный"},
		"utf-16be":      {utf16(text, true), "Чай — зелёный"},
		"windows-1251":  {encode(t, "windows-1251", russian), "Чай"},
		"windows-1252":  {encode(t, "windows-1252", german), "Grüner Tee"},
		"cut letter":    {"Handle,Title,Variant Price\ntea,Чай,5\ntea,,\"Ч"[:len("Handle,Title,Variant Price\ntea,Чай,5\ntea,,\"Ч")-1], "Чай"},
		"sep":           {"sep=;\r\nHandle;Title;Variant Price\r\ntea;Чай, зелёный;5\r\n", "Чай, зелёный"},
		"semicolons":    {"Handle;Title;Variant Price\ntea;Чай;5\n", "Чай"},
		"tabs":          {"Handle\tTitle\tVariant Price\rtea\tЧай\t5\r", "Чай"},
		"line in names": {"Handle,\"Title\n\",Variant Price\ntea,Чай,5\n", "Чай"},
	} {
		plan := read(t, nil, c.text)
		if len(plan.Products) != 1 || plan.Products[0].Name != c.want || len(plan.Questions) != 0 {
			t.Errorf("%s: %+v %+v", name, plan.Products, plan.Questions)
		}
	}
}

func TestAnEncodingThatTheHeaderDoesNotTellIsAsked(t *testing.T) {
	text := encode(t, "windows-1251", "Handle,Title,Variant Price\ntea,Чай,5\n")
	plan := read(t, map[string]string{"encoding": "windows-1251"}, text)
	if plan.Products[0].Name != "Чай" || len(plan.Questions) != 1 || plan.Questions[0].Key != "encoding" || plan.Questions[0].Default != "windows-1252" {
		t.Errorf("%+v %+v", plan.Products, plan.Questions)
	}
}

func TestAnUnclosedQuoteIsATruncatedFile(t *testing.T) {
	plan := read(t, nil, "Handle,Title,Variant Price\ntea,Tea,5\ncup,\"Cup,5\n")
	wantLost(t, plan, "FILE_TRUNCATED 1")
	if len(plan.Products) != 1 || plan.Rows[0].Line != 3 || plan.Rows[0].File != "file1" {
		t.Errorf("%+v", plan)
	}
}

func TestGuardsBeforeFormulasAreDropped(t *testing.T) {
	p := one(t, shopifyHeader+"tea,'=Tea,'-dash,'@Isin,,,true,Size,'+1,,,'0012,,,,5,,'4006381333931,,,,,,,\ntea,,,,,,,,\"=\"\"2\"\"\",,,'13,,,,5,,,,,,,,,\n")
	if p.Name != "=Tea" || p.Description != "-dash" || p.Brand != "@Isin" || p.Variants[0].Values[0] != "+1" || p.Variants[1].Values[0] != "2" || p.Variants[0].SKU != "0012" || p.Variants[0].GTIN != "4006381333931" {
		t.Errorf("%+v", p)
	}
}

func TestEntitiesInNamesAreDecodedOnceAndMarkupInDescriptionsStays(t *testing.T) {
	p := one(t, shopifyHeader+"tea,Tea &amp; Milk &amp;lt;,<p>a &amp; b</p>,A &amp; B,,,true,,,,,,,,,5,,,,,,,,,\n")
	if p.Name != "Tea & Milk &lt;" || p.Description != "<p>a &amp; b</p>" || p.Brand != "A & B" {
		t.Errorf("%+v", p)
	}
}

func TestPrices(t *testing.T) {
	for cell, want := range map[string]string{
		"5": "5.00", "5.5": "5.50", "34.0000": "34.00", "19.990000": "19.99", "\"1,5\"": "1.50", "\"1.234,50\"": "1234.50", "\"1,234.50\"": "1234.50", "\"1 234,50\"": "1234.50",
		"$25.00": "25.00", "\"£4,250.00\"": "4250.00", ".99": "0.99", "24.00 EUR": "24.00", "€ 5": "5.00", "\"1,234\"": "1234.00", "1.234.567": "1234567.00", "0": "0.00", "Fr. 5.-": "5.00",
		"1'234.50": "1234.50", "5 руб.": "5.00", "\"0,125\"": "0.13",
	} {
		plan := read(t, nil, "Handle,Title,Variant Price\ntea,Tea,"+cell+"\n")
		if got := shop.Amount(plan.Products[0].Price, 2); got != want || !plan.Products[0].Published {
			t.Errorf("%s: %s, want %s; %v", cell, got, want, lost(plan))
		}
	}
	for cell, want := range map[string]string{"-5": "PRICE_INVALID 1", "free": "PRICE_INVALID 1", "99999999999": "PRICE_INVALID 1", "variable": "PRICE_VARIABLE 1", "5.5.5,5,5": "PRICE_INVALID 1"} {
		plan := read(t, nil, "Handle,Title,Variant Price\ntea,Tea,\""+cell+"\"\n")
		wantLost(t, plan, want, "PRICE_MISSING 1")
		if plan.Products[0].Published {
			t.Errorf("%s is for sale without a price", cell)
		}
	}
}

func TestFractionsAreRoundedToTheShopsUnits(t *testing.T) {
	whole := movein.Shop{Currency: "JPY"}
	plan, err := loaded(movein.Read([]movein.File{file("a", "Handle,Title,Variant Price\na,A,19.00\nb,B,19.50\nc,C,19.49\n")}, whole, nil, newSpool()))
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, p := range plan.Products {
		got = append(got, p.Price)
	}
	if !slices.Equal(got, []int64{19, 20, 19}) {
		t.Errorf("%v", got)
	}
	wantLost(t, plan, "PRICE_ROUNDED 2")
}

// Where money has three decimals, a comma before three digits is their point, and the plan says so.
func TestPricesWithThreeDecimals(t *testing.T) {
	plan, err := loaded(movein.Read([]movein.File{file("a", "Handle,Title,Variant Price,Variant Compare At Price\na,A,12.5,\nb,B,\"12,500\",\nc,C,\"1,234.567\",\nd,D,0.125,0.250\ne,E,1.2345,\n")}, movein.Shop{Currency: "KWD", Digits: 3}, nil, newSpool()))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range plan.Products {
		got = append(got, shop.Amount(p.Price, 3))
	}
	if want := []string{"12.500", "12.500", "1234.567", "0.125", "1.235"}; !slices.Equal(got, want) || plan.Products[3].OldPrice != 250 {
		t.Errorf("%q, want %q; %d", got, want, plan.Products[3].OldPrice)
	}
	wantLost(t, plan, "PRICE_AMBIGUOUS 1", "PRICE_ROUNDED 1")
}

func TestAComparePriceCountsOnlyAboveThePrice(t *testing.T) {
	for compare, want := range map[string]string{"6": "Tea||5.00|-|was 6.00", "5": "Tea||5.00|-", "4": "Tea||5.00|-", "": "Tea||5.00|-", "0": "Tea||5.00|-"} {
		wantProduct(t, one(t, "Handle,Title,Variant Price,Variant Compare At Price\ntea,Tea,5,"+compare+"\n"), want)
	}
}

func TestAWrongBarcodeIsDroppedAndTheProductStays(t *testing.T) {
	plan := read(t, nil, "Handle,Title,Variant Price,Variant Barcode\na,A,5,4006381333932\nb,B,5,4.00638E+12\nc,C,5,4006381 333931\nd,D,5,\n")
	wantLost(t, plan, "BARCODE_INVALID 2")
	if plan.Products[0].GTIN != "" || plan.Products[2].GTIN != "4006381333931" || len(plan.Products) != 4 {
		t.Errorf("%+v", plan.Products)
	}
	if row := plan.Rows[0]; row.Line != 2 || row.Code != "BARCODE_INVALID" || row.Status != movein.Changed || !strings.Contains(row.Detail, "4006381333932") {
		t.Errorf("%+v", row)
	}
}

func TestNegativeStockBecomesNone(t *testing.T) {
	plan := read(t, nil, "Handle,Title,Variant Price,Variant Inventory Tracker,Variant Inventory Qty\na,A,5,shopify,-3\nb,B,5,,-3\n")
	wantLost(t, plan, "STOCK_NEGATIVE 1")
	if number(plan.Products[0].Stock) != "0" || plan.Products[1].Stock != nil {
		t.Errorf("%+v", plan.Products)
	}
}

func TestTheSecondProductOfASkuComesWithoutIt(t *testing.T) {
	plan := read(t, nil, shopifyHeader+"a,A,,,,,true,,,,,X,,,,5,,,,,,,,,\nb,B,,,,,true,,,,,X,,,,5,,,,,,,,,\nc,C,,,,,true,Size,S,,,X,,,,5,,,,,,,,,\nc,,,,,,,,M,,,Y,,,,5,,,,,,,,,\n")
	wantLost(t, plan, "SKU_DUPLICATE 2")
	if plan.Products[0].SKU != "X" || plan.Products[1].SKU != "" || plan.Products[2].Variants[0].SKU != "" || plan.Products[2].Variants[1].SKU != "Y" {
		t.Errorf("%+v", plan.Products)
	}
}

func TestHandlesThatCannotBeSlugsGetANewOne(t *testing.T) {
	for handle, want := range map[string]string{
		"tea": "tea", "2024-tea": "product-2024-tea", "Чай": "chay", "緑茶": "green-tea", "cart": "cart-1", strings.Repeat("a", 300): strings.Repeat("a", 80), "": "green-tea", "Tea-Pot": "tea-pot",
	} {
		text := "Handle,Title,Variant Price\n" + handle + ",Green Tea,5\n"
		if handle == "" {
			text = "TITLE,DESCRIPTION,PRICE,CURRENCY_CODE,QUANTITY\nGreen Tea,,5,EUR,1\n"
		}
		p := one(t, text)
		if p.Slug != want {
			t.Errorf("%s: %s, want %s", handle, p.Slug, want)
		}
		if handle != "" && p.Key != handle {
			t.Errorf("%s: the key is %s", handle, p.Key)
		}
	}
}

func TestTheKeyIsTheHandleElseTheSkuElseTheName(t *testing.T) {
	plan := read(t, nil, "TITLE,DESCRIPTION,PRICE,CURRENCY_CODE,QUANTITY,SKU\nTea,,5,EUR,1,T-1\nCup,,5,EUR,1,\nCup,,6,EUR,1,C-2\nCup,x,7,EUR,1,C-3\n")
	var keys []string
	for _, p := range plan.Products {
		keys = append(keys, p.Key)
	}
	if !slices.Equal(keys, []string{"T-1", "Cup", "C-2", "C-3"}) {
		t.Errorf("%q", keys)
	}
}

// Many objects of one name take no longer than as many of different names.
func TestObjectsOfOneNameGetDistinctKeys(t *testing.T) {
	const many = 50_000
	plan := read(t, nil, wordPressHead+strings.Repeat("<item><title>A</title><wp:post_type>page</wp:post_type><wp:status>publish</wp:status></item>", many)+"</channel></rss>")
	if len(plan.Pages) != many || plan.Pages[1].Key != "A (2)" || plan.Pages[many-1].Key != fmt.Sprintf("A (%d)", many) {
		t.Errorf("%d pages", len(plan.Pages))
	}
}

func TestMoreThan500VariantsAreALoss(t *testing.T) {
	var b strings.Builder
	b.WriteString("Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price\n")
	for i := range 510 {
		fmt.Fprintf(&b, "tea,Tea,Size,%d,S%d,5\n", i, i)
	}
	plan := read(t, nil, b.String())
	wantLost(t, plan, "VARIANTS_TOO_MANY 10")
	if n := len(plan.Products[0].Variants); n != 500 {
		t.Error(n)
	}
}

func TestRowsOfAProductMayBeFarApart(t *testing.T) {
	plan := read(t, nil, shopifyHeader+"a,A,,,,,true,Size,S,,,A1,,,,5,,,,,,,,,\nb,B,,,,,true,,,,,B1,,,,5,,,,,,,,,\na,,,,,,,,M,,,A2,,,,5,,,,,,,,,\n")
	if len(plan.Products) != 2 || len(plan.Products[0].Variants) != 2 {
		t.Errorf("%+v", plan.Products)
	}
}

func TestRepeatedVariantsAreALoss(t *testing.T) {
	plan := read(t, nil, shopifyHeader+"a,A,,,,,true,Size,S,,,A1,,,,5,,,,,,,,,\na,,,,,,,,S,,,A2,,,,5,,,,,,,,,\na,,,,,,,,M,,,A3,,,,5,,,,,,,,,\n")
	wantLost(t, plan, "VARIANT_DUPLICATE 1")
}

func TestARelativePictureNeedsTheAddressOfTheOldShop(t *testing.T) {
	text := "sku,product_type,attribute_set_code,name,url_key,price,base_image,additional_images\nT,simple,Default,Tea,tea,5,/t/e/tea.jpg,\"https://cdn.example/a b.jpg,no_selection,/t/e/tea.jpg\"\n"
	plan := read(t, nil, text)
	wantLost(t, plan, "PICTURE_RELATIVE 2")
	if len(plan.Questions) != 1 || plan.Questions[0].Key != "address" || len(plan.Questions[0].Choices) != 0 {
		t.Errorf("%+v", plan.Questions)
	}
	plan = read(t, map[string]string{"address": "old.example/"}, text)
	if got := plan.Products[0].Pictures; len(got) != 2 || got[0].Address != "https://old.example/media/catalog/product/t/e/tea.jpg" || got[1].Address != "https://cdn.example/a%20b.jpg" {
		t.Errorf("%+v", got)
	}
	for _, bad := range []string{"ftp://old.example", "https://user:pass@old.example", "https://"} {
		if _, err := movein.Read([]movein.File{file("a", text)}, eur, map[string]string{"address": bad}, newSpool()); !errors.Is(err, movein.ErrChoice) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestAddressesThatAreNoPicturesAreALoss(t *testing.T) {
	plan := read(t, nil, "Handle,Title,Variant Price,Image Src\ntea,Tea,5,javascript:alert(1)\ntea,,,data:image/png;base64,AAAA\ntea,,,//cdn.example/1.jpg\ntea,,,https://cdn.example/"+strings.Repeat("a", 3000)+"\ntea,,,//cdn.example/1.jpg\n")
	if got := plan.Products[0].Pictures; len(got) != 1 || got[0].Address != "https://cdn.example/1.jpg" {
		t.Errorf("%+v %v", got, plan.Losses)
	}
	if plan.Counts().Pictures != 1 {
		t.Error(plan.Counts())
	}
}

func TestLongTextsAreCut(t *testing.T) {
	plan := read(t, nil, "Handle,Title,Body (HTML),Variant Price\ntea,"+strings.Repeat("ы", 300)+","+strings.Repeat("x", 100_001)+",5\n")
	wantLost(t, plan, "TEXT_TOO_LONG 2")
	if p := plan.Products[0]; len([]rune(p.Name)) != 255 || len(p.Description) != 100_000 {
		t.Error(len(p.Name), len(p.Description))
	}
}

func TestAProductWithoutANameIsSkipped(t *testing.T) {
	plan := read(t, nil, "TITLE,DESCRIPTION,PRICE,CURRENCY_CODE,QUANTITY\n,x,5,EUR,1\n")
	if wantLost(t, plan, "NAME_MISSING 1"); len(plan.Products) != 0 || plan.Rows[0].Status != movein.Skipped {
		t.Errorf("%+v", plan)
	}
}

func TestRowsOfAPlanAreBoundedAndCountsGoOn(t *testing.T) {
	text := "Handle,Title,Variant Price,Variant Barcode\n" + strings.Repeat("a,A,5,123\n", 1)
	for i := range 3000 {
		text += fmt.Sprintf("h%d,A,5,123\n", i)
	}
	plan := read(t, nil, text)
	if len(plan.Rows) != movein.MaxRows || plan.Losses[0].Count != 3001 {
		t.Error(len(plan.Rows), plan.Losses)
	}
}

func TestABadLineIsALossAndTheOthersStay(t *testing.T) {
	plan := read(t, nil, "Handle,Title,Variant Price\ntea,\"Tea\"x,5\ncup,Cup,5\n"+strings.Repeat(",", 12_000)+"\npot,Pot,5\n")
	if wantLost(t, plan, "ROW_INVALID 2"); len(plan.Products) != 2 {
		t.Errorf("%+v", plan.Products)
	}
}

func TestThousandsOfColumnsAreRead(t *testing.T) {
	names, cells := strings.Repeat("x,", 9000), strings.Repeat(",", 9000)
	p := one(t, names+"Handle,Title,Variant Price\n"+cells+"tea,Tea,5\n")
	wantProduct(t, p, "Tea||5.00|-")
}

func utf16(text string, big bool) string {
	var b bytes.Buffer
	for _, r := range "\ufeff" + text {
		if big {
			b.Write([]byte{byte(r >> 8), byte(r)})
		} else {
			b.Write([]byte{byte(r), byte(r >> 8)})
		}
	}
	return b.String()
}
