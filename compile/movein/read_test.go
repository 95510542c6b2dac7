package movein_test

import (
	"io"
	"strings"
	"testing"

	"vitrine/compile/movein"
)

func file(name, text string) movein.File {
	return movein.File{Name: name, Size: int64(len(text)), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

func TestRowsOfOneHandleAreOneProduct(t *testing.T) {
	plan, err := movein.Read([]movein.File{file("p.csv", "Handle,Title,Body (HTML),Vendor,Published,Option1 Name,Option1 Value,Variant Price,Image Src\n"+
		"tea,Tea,<p>Green</p>,Isin,true,Title,Default Title,5.00,https://cdn.example/1.jpg\ntea,,,,,,,,https://cdn.example/2.jpg\n")}, movein.Shop{Currency: "EUR", Digits: 2}, nil)
	if err != nil || plan.Counts().Products != 1 || plan.Counts().Pictures != 2 {
		t.Fatalf("%+v, %v", plan, err)
	}
}
