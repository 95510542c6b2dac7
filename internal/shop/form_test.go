package shop

import (
	"strings"
	"testing"
)

func TestAddressesOfForms(t *testing.T) {
	for address, want := range map[string]string{
		"form:3": "/_vitrine/form/3", " FORM:12\n": "/_vitrine/form/12", "form:3?topic=tea#x": "/_vitrine/form/3?topic=tea#x",
		"form:9223372036854775807": "/_vitrine/form/9223372036854775807", "form:007": "/_vitrine/form/7",
	} {
		if id, page, ok := FormAddress(address); !ok || page != want || !strings.HasPrefix(page, FormPrefix+id.String()) {
			t.Errorf("%q: %v %q %t, want %q", address, id, page, ok, want)
		}
	}
	for _, address := range []string{"", "form", "form:", "form:0", "form:-1", "form:+3", "form:x", "form: 3", "form:3/..", "form://3", "form:9223372036854775808", "/form:3", "xform:3", "form:?x"} {
		if id, page, ok := FormAddress(address); ok {
			t.Errorf("%q was accepted as form %v at %q", address, id, page)
		}
	}
}

func FuzzFormAddress(f *testing.F) {
	for _, address := range []string{"form:3", "FORM:12?x=1#y", "form:x", "javascript:3"} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		id, page, ok := FormAddress(address)
		if ok != (id > 0) || ok != (page != "") || ok && !strings.HasPrefix(page, FormPrefix+id.String()) {
			t.Errorf("%q: %v %q %t", address, id, page, ok)
		}
	})
}
