package header_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"vitrine/compile/movein/header"
	"vitrine/internal/shop"
)

// headers are the first lines of exports as the systems write them.
var headers = map[string]header.File{
	"Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src":                               {header.Shopify, header.Products},
	"Title,URL handle,Description,Vendor,Product category,Published on online store,Status,SKU,Option1 name,Price,Compare-at price,Inventory quantity": {header.Shopify, header.Products},
	"Handle,Title,Option1 Name,Option1 Value,SKU,HS Code,Location,On hand (current)":                                                                   {header.Shopify, header.Products},
	"Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address City,Phone,Note,Tags":                                              {header.Shopify, header.Customers},
	"Redirect from,Redirect to": {header.Shopify, header.Redirects},
	"ID,Type,SKU,Name,Published,\"In stock?\",Regular price,Categories,Images,Parent":                      {header.WooCommerce, header.Products},
	"ID,Typ,Artikelnummer,Name,Veröffentlicht,Regulärer Preis,Übergeordnetes Produkt":                      {header.WooCommerce, header.Products},
	"ID,Тип,Артикул,Имя,Опубликован,\"Базовая цена\",Категории":                                            {header.WooCommerce, header.Products},
	"ID,Type,UGS,Nom,Publié,\"En stock ?\",Tarif régulier,Catégories":                                      {header.WooCommerce, header.Products},
	"ID,Tipo,SKU,Nombre,Publicado,Inventario,Precio rebajado,Precio normal,Categorías":                     {header.WooCommerce, header.Products},
	"sku,store_view_code,attribute_set_code,product_type,categories,name,url_key,qty":                      {header.Magento, header.Products},
	"Product ID;Active (0/1);Name *;Categories (x,y,z...);Price tax excluded;URL rewritten":                {header.PrestaShop, header.Products},
	"Product ID*;Attribute (Name:Type:Position)*;Value (Value:Position)*;Impact on price":                  {header.PrestaShop, header.Products},
	"product_id,name(en-gb),categories,sku,quantity,model,manufacturer,image_name":                         {header.OpenCart, header.Products},
	"category_id,parent_id,name(de-de),top,columns":                                                        {header.OpenCart, header.Products},
	"product_id,option,option_value,required,quantity,subtract,price,price_prefix":                         {header.OpenCart, header.Products},
	"handleId,fieldType,name,description,productImageUrl,collection,sku,price,surcharge":                   {header.Wix, header.Products},
	"handle,fieldType,name,visible,plainDescription,media,price,strikethroughPrice":                        {header.Wix, header.Products},
	"Token,Item Name,Variation Name,SKU,Description,Categories,Price":                                      {header.Square, header.Products},
	"Reference Handle,Token,Item Name,Variation Name,SKU,Current Quantity Main Street":                     {header.Square, header.Products},
	"Fill in your items below\n,\nSee the guide\n,\n,\nItem Name,Variation Name,SKU,Current Quantity Shop": {header.Square, header.Products},
	"Product ID [Non Editable],Variant ID [Non Editable],Product Page,Product URL,Title,SKU,Price":         {header.Squarespace, header.Products},
	"Item Type,Product ID,Product Name,Product Code/SKU,Brand Name,Category":                               {header.BigCommerce, header.Products},
	"Item,ID,Name,Type,SKU,Options,Inventory Tracking,Current Stock,Price":                                 {header.BigCommerce, header.Products},
	"TITLE,DESCRIPTION,PRICE,CURRENCY_CODE,QUANTITY,TAGS,MATERIALS,IMAGE1":                                 {header.Etsy, header.Products},
	"TITOLO,DESCRIZIONE,PREZZO,CURRENCY_CODE,QUANTITÀ,TAG,MATERIALI,IMMAGINE1":                             {header.Etsy, header.Products},
	"id\ttitle\tlink\timage_link\tavailability\tprice":                                                     {header.Google, header.Products},
	"source,target,regex,code,type,hits,title,status":                                                      {header.Redirection, header.Redirects},
	"Origin,Target,Type,Format": {header.Yoast, header.Redirects},
}

func TestFilesOfOtherSystemsAreRecognised(t *testing.T) {
	for text, want := range headers {
		for _, text := range []string{
			text, "\ufeff\ufeff" + text + "\r\n1,2,3\r\n", strings.ToUpper(text), "sep=" + string(separator(text)) + "\r\n" + text, "Unknown" + string(separator(text)) + text,
		} {
			if got, ok := header.Of(text); !ok || got != want {
				t.Errorf("%.80q: %v, want %v", text, got, want)
			}
		}
	}
	for text, want := range map[string]header.File{
		"<?xml version=\"1.0\"?>\n<!DOCTYPE yml_catalog SYSTEM \"shops.dtd\">\n<yml_catalog date=\"2026-01-01\"><shop>": {header.YML, header.Products},
		"\ufeff <rss version=\"2.0\" xmlns:g=\"http://base.google.com/ns/1.0\"><channel>":                               {header.Google, header.Products},
		"<rss xmlns:wp=\"http://wordpress.org/export/1.2/\">":                                                           {header.WordPress, header.Articles},
		`{"db": [{"meta": {"exported_on": 1}, "data": {"posts": []}}]}`:                                                 {header.Ghost, header.Articles},
		`{"plugin":{"version":"5"},"groups":[],"redirects":[]}`:                                                         {header.Redirection, header.Redirects},
		"301:\n  /a: /b\n": {header.Ghost, header.Redirects},
		`[{"from": "^/a$", "to": "/b", "permanent": true}]`: {header.Ghost, header.Redirects},
	} {
		if got, ok := header.Of(text); !ok || got != want {
			t.Errorf("%.80q: %v, want %v", text, got, want)
		}
	}
}

func separator(header string) byte {
	for _, c := range []byte{'\t', ';'} {
		if strings.IndexByte(header, c) >= 0 {
			return c
		}
	}
	return ','
}

// The order, case and spacing of names, invisible characters and additional columns do not
// matter.
func TestColumnsAreRecognisedInAnyOrderAndSpacing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for text, want := range headers {
		line := text[strings.LastIndexByte(text, '\n')+1:]
		names := strings.Split(strings.ReplaceAll(line, `"`, ""), string(separator(line)))
		if strings.Contains(line, "(x,y") {
			names = strings.Split(line, ";")
		}
		for range 20 {
			mixed := append(slices.Clone(names), "Another", "")
			random.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
			for i, name := range mixed {
				name = strings.ReplaceAll(name, " ", []string{" ", "\u00a0", "  "}[random.IntN(3)])
				mixed[i] = []string{"", " ", "\u200b", "\ufeff"}[random.IntN(4)] + name + []string{"", "\u00a0", "\u2060"}[random.IntN(3)]
			}
			if got, ok := header.Columns(mixed); !ok || got != want {
				t.Fatalf("%q: %v, want %v", mixed, got, want)
			}
		}
	}
}

// Our own tables and unknown ones are not mistaken for exports of other systems.
func TestOtherTablesAreNotForeign(t *testing.T) {
	for _, text := range []string{
		"", "\n\n", "sku,name,price\n1,Tea,5", "id,sku,gtin,brand,name,slug,price,old_price,category,tags,kind,is_published,description,variants",
		"email,first_name,last_name,phone", "First Name,Last Name,Email,Phone", "id,email,name,phone,note,groups,orders,spent", "from,to,code,kind",
		"/a,/b,301", "Name;Preis;Beschreibung", "title,description,price", "handle,title", "type,name,price", "id,title,link", "<html>", "[]", "{}", `{"db":1}`,
		"\"an open quote,\n", strings.Repeat(",", 20_000),
	} {
		if got, ok := header.Of(text); ok {
			t.Errorf("%.60q is mistaken for %v", text, got)
		}
		if err := header.Foreign(text); err != nil {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}

func TestAForeignFileIsRefusedWithGuidance(t *testing.T) {
	const text = "Redirect from,Redirect to\n/a,/b\n"
	refusal, ok := shop.AsRefusal(header.Foreign(text))
	if !ok || refusal.Code != "IMPORT_FOREIGN" || !strings.Contains(refusal.Error(), "IMPORT_FOREIGN: ") || !strings.Contains(refusal.Error(), "shopify") {
		t.Errorf("%v", refusal)
	}
	if err := header.Foreign(text, header.File{System: header.Shopify, Content: header.Redirects}); err != nil {
		t.Errorf("a file that the caller can read: %v", err)
	}
}

func TestTheGuideNamesEverySystem(t *testing.T) {
	guide, err := os.ReadFile("../../../admin/docs/guides/catalog-import.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range headers {
		if !strings.Contains(string(guide), "`"+string(f.System)+"`") {
			t.Errorf("the guide does not name %s", f.System)
		}
	}
}
