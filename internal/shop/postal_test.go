package shop

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestAddressLinesAcceptAnyJSON(t *testing.T) {
	t.Parallel()
	for input, want := range map[string][]string{
		``: nil, `null`: nil, `{}`: nil, `[]`: nil, `""`: nil, `" "`: nil,
		`"12 Mill Lane\nOldtown\r\n"`: {"12 Mill Lane", "Oldtown"},
		`{"country":"PT","city":"Lisboa","street":"Rua 1","postcode":"1000","region":"Lx","comment":"ring twice"}`: {"Rua 1", "Lisboa", "Lx", "1000", "PT", "ring twice"},
		`{"house":12,"lift":true,"street":"Rua","floor":null,"gate":{"code":"77#","side":["left","rear"]}}`:        {"Rua", "house: 12", "lift: true", "code: 77#", "side: left", "side: rear"},
		`["Mill Lane 12",["Oldtown",{"zip":"1000"}],7,false]`:                                                      {"Mill Lane 12", "Oldtown", "zip: 1000", "7", "false"},
		`{"street":["Mill Lane","12"],"city":{"name":"Oldtown"}}`:                                                  {"Mill Lane", "12", "name: Oldtown"},
		`12`: {"12"},
	} {
		if got := AddressLines([]byte(input), nil); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", input, got, want)
		}
	}
	if n := len(AddressLines([]byte(`["`+strings.Repeat(`x","`, 2000)+`"]`), nil)); n != maxAddressLines {
		t.Errorf("%d lines", n)
	}
}

func TestHasAddressNeedsAStreetACityOrText(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]bool{
		`{"street":"Rua 1"}`: true, `{"city":"Lisboa"}`: true, `"Rua 1, Lisboa"`: true, ``: false, `null`: false, `{}`: false, `[]`: false, `["Rua 1"]`: false,
		`""`: false, `" "`: false, `7`: false, `{"street":" ","city":""}`: false, `{"street":7}`: false, `{"postcode":"1000"}`: false, `{"street":null}`: false,
	} {
		if got := HasAddress([]byte(input)); got != want {
			t.Errorf("%s: %v", input, got)
		}
	}
}

func FuzzAddressLines(f *testing.F) {
	f.Add([]byte(`{"street":"Rua","x":[1,{"y":"z"}]}`))
	f.Fuzz(func(t *testing.T, sent []byte) {
		for _, line := range AddressLines(sent, strings.ToLower) {
			if json.Valid(sent) && (strings.TrimSpace(line) == "" || strings.Contains(line, "\n") && !strings.Contains(string(sent), `\n`)) {
				t.Errorf("%q", line)
			}
		}
	})
}
