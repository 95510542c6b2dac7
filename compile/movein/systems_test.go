package movein_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/compile/movein"
	"vitrine/internal/shop"
)

const wooHeader = "ID,Type,SKU,Name,Published,Visibility in catalog,Short description,Description,Date sale price starts,Date sale price ends,In stock?,Stock,Weight (kg),Sale price,Regular price,Categories,Tags,Images,Parent,Brands,\"GTIN, UPC, EAN, or ISBN\",Attribute 1 name,Attribute 1 value(s),Attribute 2 name,Attribute 2 value(s)\n"

func TestVariationsOfWooCommerceBelongToTheirParentWhereverTheyAre(t *testing.T) {
	for _, parent := range []string{"TEE", "id:10"} {
		p := one(t, wooHeader+
			"11,variation,TEE-S,Tee - S,1,,,,,,1,3,0.2,,20,,,https://old.example/s.jpg,"+parent+",,,Size,S,,\n"+
			"10,\"variable, virtual\",TEE,Tee,1,visible,,Text\\nmore,,,1,,0.5,,,\"Clothing, Clothing > Tees, Sale\\, now\",a,\"https://old.example/1.jpg, https://old.example/2.jpg\",,Isin,4006381333931,Size,\"S, M\",Fabric,Cotton\n"+
			"12,variation,TEE-M,Tee - M,1,,,,,,1,parent,,15,20,,,,"+parent+",,,Size,M,,\n")
		wantProduct(t, p, "Tee|TEE|15.00|-|was 20.00; Size=S|TEE-S|20.00|3; Size=M|TEE-M|-|-")
		if p.Description != "Text\nmore" || p.Brand != "Isin" || !slices.Equal(p.Sections, []string{"Clothing > Tees", "Clothing", "Sale, now"}) || *p.WeightG != 500 || *p.Variants[0].WeightG != 200 {
			t.Errorf("%+v", p)
		}
		if len(p.Attributes) != 1 || p.Attributes[0] != (movein.Attribute{Name: "Fabric", Value: "Cotton"}) || len(p.Pictures) != 3 || p.Variants[0].Picture != "https://old.example/s.jpg" {
			t.Errorf("%+v %+v", p.Attributes, p.Pictures)
		}
	}
}

func TestAVariationWithoutItsParentIsALoss(t *testing.T) {
	plan := read(t, nil, wooHeader+"11,variation,TEE-S,Tee - S,1,,,,,,1,3,,,20,,,,GONE,,,Size,S,,\n12,variation,TEE-M,Tee - M,1,,,,,,1,3,,,20,,,,,,,Size,S,,\n")
	if wantLost(t, plan, "VARIANT_WITHOUT_PRODUCT 2"); len(plan.Products) != 0 {
		t.Errorf("%+v", plan.Products)
	}
}

func TestAVariantWithoutAPriceIsNotSoldForNothing(t *testing.T) {
	plan := read(t, nil, wooHeader+"10,variable,TEE,Tee,1,visible,,,,,1,,,,,,,,,,,Size,\"S, M\",,\n11,variation,A,,1,,,,,,1,,,,20,,,,TEE,,,Size,S,,\n12,variation,B,,1,,,,,,1,,,,,,,,TEE,,,Size,M,,\n")
	wantProduct(t, plan.Products[0], "Tee|TEE|20.00|-; Size=S|A|-|-")
	wantLost(t, plan, "PRICE_MISSING 1")
}

func TestGroupedAndExternalProductsAreALoss(t *testing.T) {
	plan := read(t, nil, wooHeader+"1,grouped,G,G,1,,,,,,1,,,,,,,,,,,,,,\n2,external,E,E,1,,,,,,1,,,,5,,,,,,,,,,\n3,simple,S,S,1,,,,,,1,,,,5,,,,,,,,,,\n")
	if wantLost(t, plan, "KIND_UNSUPPORTED 2"); len(plan.Products) != 1 {
		t.Errorf("%+v", plan.Products)
	}
}

func TestAnEmptyAttributeOfAVariationMeansAny(t *testing.T) {
	p := one(t, wooHeader+"10,variable,TEE,Tee,1,visible,,,,,1,,,,,,,,,,,Size,\"S, M\",Colour,\"Red, Blue\"\n"+
		"11,variation,TEE-S,,1,,,,,,1,3,,,20,,,,TEE,,,Size,S,Colour,\n12,variation,TEE-M,,1,,,,,,1,,,,25,,,,TEE,,,Size,M,Colour,Red\n")
	wantProduct(t, p, "Tee|TEE|20.00|-; Size/Colour=S/Red|TEE-S|-|3; Size/Colour=S/Blue||-|3; Size/Colour=M/Red|TEE-M|25.00|-")
}

func TestOnlyPublishedProductsOfWooCommerceAreShown(t *testing.T) {
	for cells, want := range map[string]bool{"1,visible": true, "0,visible": false, "-1,visible": false, "2,visible": false, "1,hidden": false, "1,search": true} {
		if p := one(t, wooHeader+"1,simple,S,S,"+cells+",,,,,1,,,,5,,,,,,,,,,\n"); p.Published != want {
			t.Errorf("%s: %v", cells, p.Published)
		}
	}
}

func TestEmptyStockOfWooCommerceIsNotCountedUnlessItIsSoldOut(t *testing.T) {
	for cells, want := range map[string]string{"1,": "-", "0,": "0", "1,5": "5", "0,5": "5"} {
		if p := one(t, wooHeader+"1,simple,S,S,1,visible,,,,,"+cells+",,,5,,,,,,,,,,\n"); number(p.Stock) != want {
			t.Errorf("%s: %s", cells, number(p.Stock))
		}
	}
}

func TestASaleCountsWithinItsDates(t *testing.T) {
	for dates, want := range map[string]string{
		",": "4.00 5.00", "2026-05-01,2026-07-01": "4.00 5.00", "2026-05-01,2026-06-01": "4.00 5.00", "2026-06-02,": "5.00 0.00", ",2026-05-31": "5.00 0.00", "2026-06-01T10:00:00+00:00,": "4.00 5.00",
	} {
		p := one(t, wooHeader+"1,simple,S,S,1,visible,,,"+dates+",1,,,4,5,,,,,,,,,,\n")
		if got := shop.Amount(p.Price, 2) + " " + shop.Amount(p.OldPrice, 2); got != want {
			t.Errorf("%s: %s, want %s", dates, got, want)
		}
	}
}

func TestNamesOfWooCommerceAreTranslated(t *testing.T) {
	for language, text := range map[string]string{
		"de": "ID,Typ,Artikelnummer,Name,Veröffentlicht,Sichtbarkeit im Katalog,Beschreibung,Vorrätig?,Lager,Gewicht (kg),Angebotspreis,Regulärer Preis,Kategorien,Schlagwörter,Bilder,Übergeordnetes Produkt,Attribut 1 Name,Attribut 1 Wert(e)\n",
		"ru": "ID,Тип,Артикул,Имя,Опубликован,Видимость в каталоге,Описание,Наличие,Запасы,Вес (kg),Акционная цена,Базовая цена,Категории,Метки,Изображения,Родительский,Имя атрибута 1,Значение(-я) аттрибута(-ов) 1\n",
		"fr": "ID,Type,UGS,Nom,Publié,Visibilité dans le catalogue,Description,En stock ?,Stock,Poids (kg),Tarif promo,Tarif régulier,Catégories,Étiquettes,Images,Parent,Nom de l’attribut 1,Valeur(s) de l’attribut 1\n",
		"es": "ID,Tipo,SKU,Nombre,Publicado,Visibilidad en el catálogo,Descripción,¿Existencias?,Inventario,Peso (kg),Precio rebajado,Precio normal,Categorías,Etiquetas,Imágenes,Superior,Nombre del atributo 1,Valor(es) del atributo 1\n",
	} {
		p := one(t, text+"1,variable,TEE,Tee,1,visible,Text,1,,\"0,5\",,,A > B,x,https://old.example/1.jpg,,Size,\"S, M\"\n"+
			"2,variation,TEE-S,,1,,,1,4,,\"1.234,50\",\"1.500,00\",,,,id:1,Size,S\n3,variation,TEE-M,,1,,,1,0,,,\"2.000,00\",,,,TEE,Size,M\n")
		if got, want := said(p), "Tee|TEE|1234.50|-|was 1500.00; Size=S|TEE-S|-|4; Size=M|TEE-M|2000.00|0"; got != want || p.Description != "Text" || *p.WeightG != 500 || p.Sections[0] != "A > B" || p.Tags[0] != "x" || len(p.Pictures) != 1 {
			t.Errorf("%s: %s %+v", language, got, p)
		}
	}
}

func TestSectionsAreKeyedByTheirWholePath(t *testing.T) {
	plan := read(t, nil, wooHeader+"1,simple,A,A,1,visible,,,,,1,,,,5,\"Men > Shoes, Women > Shoes\",,,,,,,,,\n")
	var keys []string
	for _, s := range plan.Sections {
		keys = append(keys, s.Key+"<"+s.Parent+"<"+s.Name+"<"+s.Slug)
	}
	if want := []string{"Men<<Men<men", "Men > Shoes<Men<Shoes<shoes", "Women<<Women<women", "Women > Shoes<Women<Shoes<shoes"}; !slices.Equal(keys, want) {
		t.Errorf("%q", keys)
	}
}

const magentoHeader = "sku,store_view_code,attribute_set_code,product_type,categories,name,description,weight,product_online,visibility,price,special_price,special_price_from_date,special_price_to_date,url_key,meta_title,meta_description,base_image,additional_attributes,qty,is_in_stock,manage_stock,configurable_variations,configurable_variation_labels\n"

func TestAConfigurableProductOfMagentoHasTheVariantsThatItLists(t *testing.T) {
	text := magentoHeader +
		"TEE-S,,Default,simple,,Tee S,,0.2,1,Not Visible Individually,20.0000,,,,tee-s,,,/s.jpg,,3.0000,1,1,,\n" +
		"TEE-M,,Default,simple,,Tee M,,0.3,1,Not Visible Individually,25.0000,22.5000,,,tee-m,,,,,0,0,1,,\n" +
		"TEE,de,,configurable,,T-Stück,,,,,,,,,,,,,,,,,,\n" +
		"TEE,,Default,configurable,\"Default Category/Clothing,Default Category/Clothing/Tees\",Tee,<p>x</p>,,1,\"Catalog, Search\",,,,,tee,Title,About,/t.jpg,\"fabric=Cotton, soft,made_in=Portugal\",0,1,1,\"sku=TEE-S,size=S|sku=TEE-M,size=M, wide|sku=TEE-L,size=L\",size=Size\n" +
		"CUP,,Default,simple,Default Category,Cup,,,2,\"Catalog, Search\",5,,,,cup,,,,,7,1,0,,\n" +
		"LOST,,Default,simple,,Lost,,,1,Not Visible Individually,5,,,,lost,,,,,7,1,1,,\nSET,,Default,bundle,,Set,,,1,Catalog,5,,,,set,,,,,7,1,1,,\n"
	plan := read(t, map[string]string{"address": "https://old.example", "weight_unit": "lb"}, text)
	wantLost(t, plan, "TRANSLATION_SKIPPED 1", "KIND_UNSUPPORTED 1", "VARIANT_MISSING 1", "VARIANT_WITHOUT_PRODUCT 1")
	if len(plan.Products) != 2 {
		t.Fatalf("%+v", plan.Products)
	}
	tee := plan.Products[0]
	wantProduct(t, tee, "Tee|TEE|20.00|-; Size=S|TEE-S|-|3; Size=M, wide|TEE-M|22.50|0|was 25.00")
	if tee.Key != "tee" || !slices.Equal(tee.Sections, []string{"Clothing > Tees", "Clothing"}) || *tee.Variants[0].WeightG != 91 || tee.Variants[0].Picture != "https://old.example/media/catalog/product/s.jpg" ||
		fmt.Sprint(tee.Attributes) != "[{fabric Cotton, soft} {made_in Portugal}]" || tee.Seo.Title != "Title" {
		t.Errorf("%+v", tee)
	}
	wantProduct(t, plan.Products[1], "Cup|CUP|5.00|-|hidden")
}

func TestAnotherSeparatorOfMagentoIsUnderstood(t *testing.T) {
	p := one(t, magentoHeader+"A,,Default,simple,,A,,,1,Not Visible Individually,5,,,,a,,,,,1,1,1,,\nT,,Default,configurable,,T,,,1,Catalog,,,,,t,,,,,0,1,1,sku=A|size=S|colour=Red,\n")
	wantProduct(t, p, "T|T|5.00|-; size/colour=S/Red|A|-|1")
}

func TestADuplicateURLKeyOfMagentoLeavesTheSkuAsKey(t *testing.T) {
	plan := read(t, nil, magentoHeader+"A,,Default,simple,,A,,,1,Catalog,5,,,,tea,,,,,1,1,1,,\nB,,Default,simple,,B,,,1,Catalog,5,,,,tea,,,,,1,1,1,,\n")
	if plan.Products[0].Key != "tea" || plan.Products[1].Key != "B" {
		t.Errorf("%+v", plan.Products)
	}
}

const (
	prestaProducts     = "Product ID;Active (0/1);Name *;Categories (x,y,z...);Price tax excluded;Discount amount;Discount percent;Discount from (yyyy-mm-dd);Discount to (yyyy-mm-dd);Reference #;Manufacturer;EAN13;Weight;Quantity;Visibility;Summary;Description;Tags (x,y,z...);Meta title;Meta description;URL rewritten;Image URLs (x,y,z...);Image alt texts (x,y,z...);Feature(Name:Value:Position)\n"
	prestaCombinations = "Product ID*;Attribute (Name:Type:Position)*;Value (Value:Position)*;Reference;EAN13;Impact on price;Quantity;Image URLs (x,y,z...)\n"
)

func TestCombinationsOfPrestaShopCostTheProductsPriceAndTheirImpact(t *testing.T) {
	products := prestaProducts + "1;1;iPod;Home,Players,Sale;100.000000;;10;;;P;Apple;;0.5;9;both;Short;<p>x</p>;a,b;T;D;iPod-Nano;https://old.example/1.jpg,https://old.example/2.jpg;One,Two;Colour:Red:1\n"
	combinations := prestaCombinations + "1;Colour:color:0, Disk space:select:1;Blue:0, 16 GB: fast:1;R1;4006381333931;40;10;https://old.example/b.jpg,https://old.example/c.jpg\n1;Colour:color:0, Disk space:select:1;Red:0, 8 GB:1;R1;;-10;;\n"
	for _, files := range [][]string{{products, combinations}, {combinations, products}} {
		plan := read(t, nil, files...)
		p := plan.Products[0]
		wantProduct(t, p, "iPod|P|81.00|-|was 90.00; Colour/Disk space=Blue/16 GB: fast|R1|126.00|10|was 140.00; Colour/Disk space=Red/8 GB||-|-")
		wantLost(t, plan, "TAX_EXCLUDED 1", "SKU_DUPLICATE 1")
		if !slices.Equal(p.Sections, []string{"Players", "Sale"}) || p.Slug != "ipod-nano" || p.Pictures[1] != (movein.Picture{Address: "https://old.example/2.jpg", Alt: "Two"}) || p.Variants[0].GTIN == "" || len(p.Attributes) != 1 {
			t.Errorf("%+v", p)
		}
	}
}

func TestADiscountOfPrestaShopCountsWithinItsDates(t *testing.T) {
	for cells, want := range map[string]string{"5;;;": "95.00 100.00", ";5.5;2026-01-01;2026-12-31": "94.50 100.00", ";5.5;2013-06-01;2018-12-31": "100.00 0.00", ";;;": "100.00 0.00"} {
		p := one(t, prestaProducts+"1;1;A;;100;"+cells+";;;;;;;;;;;;;;;;\n")
		if got := shop.Amount(p.Price, 2) + " " + shop.Amount(p.OldPrice, 2); got != want {
			t.Errorf("%s: %s, want %s", cells, got, want)
		}
	}
}

const openProducts = "product_id,name(en-gb),name(de-de),categories,sku,ean,quantity,model,manufacturer,image_name,price,weight,weight_unit,status,seo_keyword(en-gb),seo_keyword(de-de),description(en-gb),description(de-de),meta_title(en-gb),meta_title(de-de),subtract\n"

func TestSheetsOfOpenCartAreOneImport(t *testing.T) {
	plan := read(t, map[string]string{"address": "https://old.example", "language": "de-de"},
		openProducts+"40,Tea,Tee,\"20,21\",T-1,4006381333931,7,M,Isin,catalog/tea.jpg,100.0000,1.5,kg,true,tea,tee,&lt;p&gt;x&lt;/p&gt;,&lt;p&gt;y&lt;/p&gt;,T,U,true\n41,Cup,Tasse,,,,7,C-9,,,5,,,false,cup,tasse,,,,,false\n",
		"product_id,option,option_value,required,quantity,subtract,price,price_prefix\n40,Größe,Klein,true,3,true,0.0000,+\n40,Größe,Groß,true,4,true,20.0000,+\n",
		"category_id,parent_id,name(de-de),top,columns,seo_keyword(de-de)\n20,0,Getränke,true,1,drinks\n21,20,Tee & Kaffee,true,1,\n")
	tea, cup := plan.Products[0], plan.Products[1]
	wantProduct(t, tea, "Tee|T-1|100.00|-; Größe=Klein||-|3; Größe=Groß||120.00|4")
	wantProduct(t, cup, "Tasse|C-9|5.00|-|hidden")
	if tea.Key != "tee" || tea.Description != "<p>y</p>" || *tea.WeightG != 1500 || !slices.Equal(tea.Sections, []string{"Getränke > Tee & Kaffee", "Getränke"}) || tea.Pictures[0].Address != "https://old.example/image/catalog/tea.jpg" || tea.Seo.Title != "U" {
		t.Errorf("%+v", tea)
	}
	if plan.Sections[0].Slug != "drinks" || plan.Sections[1].Slug != "tee-kaffee" {
		t.Errorf("%+v", plan.Sections)
	}
	if read(t, nil, openProducts+"40,Tea,Tee,,,,,,,,5,,,true,,,,,,,\n").Products[0].Name != "Tea" {
		t.Error("the language of the shop is read by default")
	}
}

func TestOptionsOfOpenCartCombineFreely(t *testing.T) {
	plan := read(t, nil, openProducts+"40,Tea,Tee,,T,,7,M,,,100,,,true,,,,,,,true\n",
		"product_id,option,option_value,required,quantity,subtract,price,price_prefix\n40,Size,S,true,3,true,0,+\n40,Size,L,true,4,true,20,+\n40,Milk,No,true,3,true,5,-\n40,Milk,Yes,true,4,true,0,+\n")
	wantProduct(t, plan.Products[0], "Tea|T|95.00|7; Size/Milk=S/No||-|-; Size/Milk=S/Yes||100.00|-; Size/Milk=L/No||115.00|-; Size/Milk=L/Yes||120.00|-")
	wantLost(t, plan, "STOCK_BY_VALUE 1")
}

const wixHeader = "handleId,fieldType,name,description,productImageUrl,collection,sku,price,surcharge,visible,discountMode,discountValue,inventory,weight,productOptionName1,productOptionType1,productOptionDescription1,productOptionName2,productOptionType2,productOptionDescription2,additionalInfoTitle1,additionalInfoDescription1\n"

func TestAVariantOfWixCostsThePriceAndItsSurcharge(t *testing.T) {
	plan := read(t, nil, wixHeader+
		"Product_1,Product,Tee,<p>x</p>,a~mv2.jpg;https://cdn.example/b.jpg,New;Tees,TEE,20,,true,PERCENT,10.0,InStock,0.5,Size,DROP_DOWN,S;M,Colour,COLOR,#ff0000:Red,Care,Wash\n"+
		"Product_1,Variant,,,,,TEE-S,,0.0,true,,,3,,,,S,,,#ff0000:Red,,\nProduct_1,Variant,,,,,TEE-M,,5.0,true,,,OutOfStock,,,,M,,,#ff0000:Red,,\n")
	p := plan.Products[0]
	wantProduct(t, p, "Tee|TEE|18.00|-|was 20.00; Size/Colour=S/Red|TEE-S|-|3; Size/Colour=M/Red|TEE-M|22.50|0|was 25.00")
	if p.Key != "TEE" || p.Pictures[0].Address != "https://static.wixstatic.com/media/a~mv2.jpg" || !slices.Equal(p.Sections, []string{"New", "Tees"}) || len(p.Attributes) != 1 {
		t.Errorf("%+v", p)
	}
	p = one(t, wixHeader+"Product_1,Product,Tee,,,,TEE,20,,false,AMOUNT,5,InStock,,Size,DROP_DOWN,S;M,,,,,\n")
	wantProduct(t, p, "Tee|TEE|15.00|-|was 20.00|hidden; Size=S||-|-; Size=M||-|-")
}

func TestTheNewerExportOfWixIsRead(t *testing.T) {
	p := one(t, "handle,fieldType,name,visible,plainDescription,media,mediaAltText,brand,price,strikethroughPrice,inventory,sku,barcode,productOptionName1,productOptionType1,productOptionChoices1\n"+
		"tee,PRODUCT,Tee,TRUE,Text,https://cdn.example/1.jpg,One,Isin,20,25,,,,Size,TEXT_CHOICES,S;M\ntee,MEDIA,,,,https://cdn.example/2.jpg,Two,,,,,,,,,\n"+
		"tee,VARIANT,,,,,,,20,25,IN_STOCK,TEE-S,4006381333931,Size,,S\ntee,VARIANT,,,,,,,22,,OUT_OF_STOCK,TEE-M,,Size,,M\n")
	wantProduct(t, p, "Tee||20.00|-|was 25.00; Size=S|TEE-S|-|-; Size=M|TEE-M|22.00|0")
	if p.Key != "tee" || len(p.Pictures) != 2 || p.Pictures[1].Alt != "Two" || p.Variants[0].GTIN != "4006381333931" {
		t.Errorf("%+v", p)
	}
}

const squareHeader = "Reference Handle,Token,Item Name,Variation Name,SKU,Description,Categories,SEO Title,Permalink,GTIN,Square Online Item Visibility,Weight (kg),Price,Online Sale Price,Archived,Option Name 1,Option Value 1,Current Quantity Main Street,New Quantity Main Street,Current Quantity Harbour\n"

func TestVariationsOfSquareAreGroupedByTheNameOfTheItem(t *testing.T) {
	plan := read(t, nil, "Fill in your items below\n,\nSee the guide\n,\n,\n"+squareHeader+
		"#a,T1,Mug,Small,M-S,Plain &amp; text,\"Kitchen > Mugs, Gifts\",Seo,mug,4006381333931,visible,0.2,10.00,8.00,N,,,2,,3\n#a,T2,Mug,Large,M-L,,,,mug,,visible,,12.00,,N,,,-1,,\n"+
		"#b,T3,Bowl,Regular,B,,,,bowl,,hidden,,variable,,N,,,,,\n#c,T4,Plate,Regular,P,,,,plate,,visible,,7,,Y,,,4,,\n")
	wantProduct(t, plan.Products[0], "Mug||8.00|-|was 10.00; Option=Small|M-S|-|5; Option=Large|M-L|12.00|0")
	wantProduct(t, plan.Products[1], "Bowl|B|0.00|-|hidden")
	wantProduct(t, plan.Products[2], "Plate|P|7.00|4|hidden")
	wantLost(t, plan, "STOCK_NEGATIVE 1", "PRICE_VARIABLE 1")
	if p := plan.Products[0]; p.Description != "Plain & text" || !slices.Equal(p.Sections, []string{"Kitchen > Mugs", "Gifts"}) || p.Seo.Title != "Seo" || p.Key != "mug" || len(p.Pictures) != 0 {
		t.Errorf("%+v", p)
	}
	older := one(t, "Token,Item Name,Variation Name,SKU,Description,Category,Price,Option Name 1,Option Value 1\nT,Mug,S,M,,Kitchen,5,Size,S\nT,Mug,M,N,,Kitchen,6,Size,M\n")
	wantProduct(t, older, "Mug||5.00|-; Size=S|M|-|-; Size=M|N|6.00|-")
}

func TestAProductIdOfSquarespaceBeginsAProduct(t *testing.T) {
	text := "Product ID [Non Editable],Variant ID [Non Editable],Product Type [Non Editable],Product Page,Product URL,Title,Description,SKU,Option Name 1,Option Value 1,Price,Sale Price,On Sale,Stock,Categories,Tags,Weight,Visible,Hosted Image URLs\n" +
		"5f,v1,PHYSICAL,shop,mug,Mug,<p>x</p>,M-S,Size,S,10.00,8.00,Yes,Unlimited,\"/kitchen/mugs, /gifts\",\"a, b\",1.0,Yes,https://cdn.example/1.jpg https://cdn.example/2.jpg\n" +
		",v2,,,,,,M-L,Size,L,12.00,8.00,No,4,,,0.0,,\n6a,v3,PHYSICAL,shop,bowl,Bowl,,B,,,5.00,0.00,No,0,,,0.0,No,\n"
	plan := read(t, map[string]string{"weight_unit": "lb"}, text)
	wantProduct(t, plan.Products[0], "Mug||8.00|-|was 10.00; Size=S|M-S|-|-; Size=L|M-L|12.00|4")
	wantProduct(t, plan.Products[1], "Bowl|B|5.00|0|hidden")
	if p := plan.Products[0]; !slices.Equal(p.Sections, []string{"kitchen > mugs", "gifts"}) || len(p.Pictures) != 2 || *p.Variants[0].WeightG != 454 {
		t.Errorf("%+v", p)
	}
}

func TestSkuRowsOfBigCommerceBelongToTheProductAbove(t *testing.T) {
	plan := read(t, nil, "Item Type,Product ID,Product Name,Product Type,Product Code/SKU,Brand Name,Product Description,Price,Retail Price,Sale Price,Product Weight,Product Visible?,Track Inventory,Current Stock Level,Category,Product Image File - 1,Product Image Description - 1,Product Image File - 2,Page Title,Meta Description,Product UPC/EAN,Product URL\n"+
		"Product,55,Blue Tee,P,TEE,Acme,<p>x</p>,20.00,25.00,0.00,0,Y,by option,0,Home/Tees;Sale,https://cdn.example/1.jpg,One,https://cdn.example/2.jpg,T,D,4006381333931,https://old.example/blue-tee/\n"+
		"  SKU,,\"[RT]Size=M,[CS]Colour=Red:#ff0000\",,TEE-M,,,22.00,,,,,,5,,,,,,,,\nRule,,\"[RT]Size=M\",,,,,1,,,,,,,,,,,,,,\nSKU,,\"[RT]Size=S,[CS]Colour=Red\",,TEE-S,,,,,,,,,0,,,,,,,,\nProduct,56,Cup,P,CUP,,,5,,4,,N,none,9,,,,,,,,\n")
	p := plan.Products[0]
	wantProduct(t, p, "Blue Tee|TEE|20.00|-|was 25.00; Size/Colour=M/Red|TEE-M|22.00|5; Size/Colour=S/Red|TEE-S|-|0")
	if !slices.Equal(p.Sections, []string{"Home > Tees", "Sale"}) || p.Pictures[0].Alt != "One" || len(p.Pictures) != 2 || p.Key != "TEE" {
		t.Errorf("%+v", p)
	}
	wantProduct(t, plan.Products[1], "Cup|CUP|4.00|-|was 5.00|hidden")
}

func TestTheNewerExportOfBigCommerceIsRead(t *testing.T) {
	plan := read(t, nil, "Item,ID,Name,Type,SKU,Options,Inventory Tracking,Current Stock,Price,Sale Price,Brand ID,Description,Is Visible,Categories,Internal Image URL (Export),Product URL\n"+
		"Product,7,Tee,physical,TEE,,variant,0,20,0,35,Text,TRUE,23;24,,/tee/\nVariant,8,,,TEE-R,Type=Swatch|Name=Colour|Value=Red[#ff0000]Type=Rectangle|Name=Size|Value=S,,4,,,,,,,,\nVariant,9,,,TEE-B,Type=Swatch|Name=Colour|Value=Blue,,0,22,,,,,,,\n"+
		"Image,10,,,,,,,,,,,,,https://cdn.example/1.jpg,\nVideo,11,,,,,,,,,,,,,https://cdn.example/v,\n")
	wantProduct(t, plan.Products[0], "Tee|TEE|20.00|-; Colour/Size=Red/S|TEE-R|-|4; Colour/Size=Blue/|TEE-B|22.00|0")
	wantLost(t, plan, "BRAND_NUMBER 1", "SECTION_NUMBER 1")
	if len(plan.Products[0].Pictures) != 1 || len(plan.Sections) != 0 {
		t.Errorf("%+v", plan)
	}
}

func TestAListingOfEtsyIsOneRow(t *testing.T) {
	p := one(t, "TITLE,DESCRIPTION,PRICE,CURRENCY_CODE,QUANTITY,TAGS,MATERIALS,IMAGE1,IMAGE2,VARIATION 1 TYPE,VARIATION 1 NAME,VARIATION 1 VALUES,VARIATION 2 TYPE,VARIATION 2 NAME,VARIATION 2 VALUES,SKU\n"+
		"Handmade Mug &amp; Bowl,\"Line one\nit&#39;s\",24.00,EUR,7,\"gift_idea,mug\",\"clay,white_glaze\",https://i.example/1.jpg,https://i.example/2.jpg,Custom,Colour,\"Blue,Green\",Custom,Size,\"S,L\",\"A,B,C,D\"\n")
	wantProduct(t, p, "Handmade Mug & Bowl||24.00|7; Colour/Size=Blue/S|A|-|-; Colour/Size=Blue/L|B|-|-; Colour/Size=Green/S|C|-|-; Colour/Size=Green/L|D|-|-")
	if p.Description != "Line one\nit's" || !slices.Equal(p.Tags, []string{"gift idea", "mug"}) || len(p.Pictures) != 2 || len(p.Old) != 0 {
		t.Errorf("%+v", p)
	}
}

func TestAnotherCurrencyIsALossAndAQuestion(t *testing.T) {
	text := "TITLE,DESCRIPTION,PRICE,CURRENCY_CODE,QUANTITY\nMug,,24.00,USD,7\n"
	plan := read(t, nil, text)
	if wantLost(t, plan, "CURRENCY_DIFFERENT 1"); plan.Products[0].Price != 2400 || plan.Questions[0].Key != "currency" {
		t.Errorf("%+v", plan)
	}
	if p := read(t, map[string]string{"currency": "without"}, text).Products[0]; p.Price != 0 || p.Published {
		t.Errorf("%+v", p)
	}
}

func TestAFeedOfGoogleIsReadAsXMLAndAsATable(t *testing.T) {
	table := "id\ttitle\tdescription\tlink\timage_link\tadditional_image_link\tavailability\tprice\tsale_price\titem_group_id\tcolor\tsize\tgtin\tbrand\tproduct_type\tshipping_weight\tsale_price_effective_date\n" +
		"A1\tTee - Red\tText\thttps://old.example/shop/tee.html?v=1\thttps://cdn.example/1.jpg\thttps://cdn.example/2.jpg,https://cdn.example/3.jpg\tin stock\t20.00 EUR\t15.00 EUR\tG\tRed\tS\t4006381333931\tAcme\tClothing > Tees\t500 g\t2026-05-01T13:00-0800/2026-07-01T15:30-0800\n" +
		"A2\tTee - Blue\tText\thttps://old.example/shop/tee.html?v=2\thttps://cdn.example/4.jpg\t\tout_of_stock\t20 EUR\t\tG\tBlue\tS\t\tAcme\tClothing > Tees\t1 kg\t\n" +
		"B\tCup\t\thttps://old.example/shop/cup\t\t\tpreorder\t5\t\t\tWhite\t\t\t\t\t\t\n"
	item := func(cells string) string {
		names := strings.Split(strings.SplitN(table, "\n", 2)[0], "\t")
		var b strings.Builder
		for i, cell := range strings.Split(cells, "\t") {
			if cell != "" {
				fmt.Fprintf(&b, "<x:%s><![CDATA[%s]]></x:%s>", names[i], cell, names[i])
			}
		}
		return "<item>" + b.String() + "</item>"
	}
	lines := strings.Split(strings.TrimSpace(table), "\n")[1:]
	xml := "<?xml version=\"1.0\"?>\n<rss xmlns:x=\"http://base.google.com/ns/1.0\"><channel><title>Shop</title>"
	for _, l := range lines {
		xml += item(l)
	}
	atom := strings.NewReplacer("<channel>", "", "</channel>", "", "item>", "entry>").Replace(xml)
	for name, text := range map[string]string{"table": table, "rss": xml + "</channel></rss>", "atom": atom + "</rss>"} {
		plan := read(t, nil, text)
		if len(plan.Products) != 2 {
			t.Fatalf("%s: %+v", name, plan)
		}
		p := plan.Products[0]
		wantProduct(t, p, "Tee - Red||15.00|-|was 20.00; Color/Size=Red/S|A1|-|-; Color/Size=Blue/S|A2|20.00|0")
		wantProduct(t, plan.Products[1], "Cup|B|5.00|-")
		if p.Key != "tee" || p.Sections[0] != "Clothing > Tees" || *p.Variants[0].WeightG != 500 || *p.Variants[1].WeightG != 1000 || len(p.Pictures) != 4 || fmt.Sprint(p.Old) != "[/shop/tee.html]" {
			t.Errorf("%s: %+v", name, p)
		}
		wantLost(t, plan)
	}
}

const ymlText = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE yml_catalog SYSTEM "shops.dtd" [<!ENTITY x "<name>boom</name>">]>
<yml_catalog date="2026-01-01"><shop><currencies><currency id="RUR" rate="1"/></currencies>
<categories><category id="1">Всё</category><category id="10" parentId="1">Чай &amp; кофе</category></categories>
<offers>
<offer id="1" group_id="7" available="true"><name>Чай</name><url>https://old.example/catalog/chay.html</url><price>490</price><oldprice>590</oldprice><currencyId>RUR</currencyId><categoryId>10</categoryId><picture>https://cdn.example/1.jpg</picture><picture>https://cdn.example/2.jpg</picture><vendor>Исин</vendor><vendorCode>T-1</vendorCode><barcode>4006381333931</barcode><count>3</count><weight>0.25</weight><param name="Вес" unit="г">50</param><param name="Страна">Китай</param></offer>
<offer id="2" available="false"><group_id>7</group_id><name>Чай</name><price>790</price><currencyId>RUR</currencyId><categoryId>10</categoryId><vendorCode>T-2</vendorCode><param name="Вес" unit="г">100</param><param name="Страна">Китай</param></offer>
<offer id="3" type="vendor.model"><typePrefix>Чашка</typePrefix><vendor>Исин</vendor><model>X&x; 5` + "\x01" + `</model><price>5</price><currencyId>RUB</currencyId></offer>
</offers></shop></yml_catalog>`

func TestAPriceListOfYandexIsRead(t *testing.T) {
	plan, err := loaded(movein.Read([]movein.File{file("a.xml", ymlText)}, movein.Shop{Currency: "RUB"}, nil, newSpool()))
	if err != nil || len(plan.Products) != 2 {
		t.Fatalf("%+v, %v", plan, err)
	}
	p := plan.Products[0]
	if got := fmt.Sprint(p.Name, p.Price, p.OldPrice, p.Options, p.Variants[0].Values, p.Variants[1].Values, *p.Variants[1].Price, *p.Variants[0].Stock, *p.Variants[1].Stock, p.Attributes, p.Sections, *p.Variants[0].WeightG); got != "Чай490 590 [Вес] [50 г] [100 г] 790 3 0 [{Страна Китай}] [Всё > Чай & кофе] 250" {
		t.Error(got)
	}
	if got := plan.Products[1].Name; got != "Чашка Исин X&x; 5" {
		t.Error(got)
	}
	wantLost(t, plan)
	if len(p.Pictures) != 2 || p.Old[0] != "/catalog/chay.html" || p.Key != "chay" {
		t.Errorf("%+v", p)
	}
}

func TestAPriceListInWindows1251IsRead(t *testing.T) {
	text := encode(t, "windows-1251", strings.Replace(ymlText, "UTF-8", "windows-1251", 1))
	if plan := read(t, nil, text); plan.Products[0].Name != "Чай" {
		t.Errorf("%+v", plan.Products)
	}
}

func TestATruncatedFeedKeepsWhatCameBefore(t *testing.T) {
	plan := read(t, nil, ymlText[:strings.Index(ymlText, "<offer id=\"3\"")+20])
	if len(plan.Products) != 1 || lost(plan)[len(plan.Losses)-1] != "FILE_TRUNCATED 1" {
		t.Errorf("%+v", plan)
	}
}
