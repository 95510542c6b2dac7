package shop

import (
	"net/url"
	"strings"
	"testing"
)

func TestEveryCarrierIsFoundByItsCodeAndName(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range Carriers {
		if seen[c.Code] || seen[c.Name] || CarrierOf(c.Code) != c || CarrierOf(strings.ToUpper(c.Name)) != c {
			t.Errorf("%s is found as %+v and %+v", c.Code, CarrierOf(c.Code), CarrierOf(c.Name))
		}
		seen[c.Code], seen[c.Name] = true, true
	}
	if c := CarrierOf("Royal Mail"); c.Code != "royal_mail" {
		t.Errorf("%+v", c)
	}
	if c := CarrierOf("Bob's bicycle"); c != (Carrier{Name: "Bob's bicycle"}) || c.Tracking("1") != "" {
		t.Errorf("%+v", c)
	}
}

// The number of a parcel cannot change the address of its page.
func TestTrackingEscapesTheNumber(t *testing.T) {
	t.Parallel()
	for _, c := range Carriers {
		plain, err := url.Parse(c.Tracking("JD01"))
		if err != nil || plain.Scheme != "https" || !strings.Contains(c.Tracking("JD01"), "JD01") || c.Tracking("") != "" {
			t.Errorf("%s: %s, %v", c.Code, c.Tracking("JD01"), err)
			continue
		}
		for _, number := range []string{"JD 01", "JD/../01", "1&a=2", "1#2", `"><script>`, "1?x", "%2e", "{}", "№7"} {
			got, err := url.Parse(c.Tracking(number))
			if err != nil {
				t.Errorf("%s with %q: %v", c.Code, number, err)
				continue
			}
			if got.Host != plain.Host || strings.Count(got.EscapedPath(), "/") != strings.Count(plain.EscapedPath(), "/") || len(got.Query()) != len(plain.Query()) ||
				strings.ContainsAny(strings.TrimPrefix(got.String(), "https://"), `"<> `) {
				t.Errorf("%s with %q: %s", c.Code, number, got)
			}
			if !strings.Contains(got.Path+"?"+strings.Join(got.Query()[firstKey(plain)], "")+"#"+got.Fragment, number) {
				t.Errorf("%s lost %q: %s", c.Code, number, got)
			}
		}
	}
}

func firstKey(u *url.URL) string {
	for name, values := range u.Query() {
		if values[0] == "JD01" {
			return name
		}
	}
	return ""
}
