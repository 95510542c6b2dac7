package outbound

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestAddressesRefusedAsText(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"", "/a.png", "//shop.test/a.png", "shop.test/a.png", "ftp://shop.test/a.png", "file:///etc/passwd", "gopher://shop.test/", "data:image/png;base64,",
		"javascript:alert(1)", "http:shop.test", "http://", "http:///a.png", "http://user@shop.test/", "http://user:pass@shop.test/", "http://@shop.test/",
		"http://shop.test:22/", "http://shop.test:25/", "http://shop.test:0/", "http://shop.test:6379x/", "http://shop.test:/", "http://shop.test:70000/",
		"http://localhost/", "http://LOCALHOST./", "http://api.localhost:8080/", "http://127.1/", "http://2130706433/", "http://0x7f000001/",
		"http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://127.0.0.1./", "http://1.2.3.4.5/", "http://0x/", "http://a.0xff/", "http://shop.test/\x7f",
		"http://shop%2etest/", "http://[::1", "http://[fe80::1%25eth0", "http://sh op.test/", "http://shop.test/%zz",
		"http://１２７.０.０.１/", "http://127。0。0。1/", "http://①②⑦.⓪.⓪.①/", "http://１０．０．０．１:8080/", "http://2１30706433/", "http://０x7f.1/", "http://⑯⑨.254.169.254/",
		"http://ｌｏｃａｌｈｏｓｔ/", "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", "http://api.localhost。/", "http://[::ffff:１27.0.0.1]/", "http://a\u200bb\u0600.test/",
		"http://" + strings.Repeat("a", maxURL),
	} {
		if u, err := ParseURL(raw); !errors.Is(err, ErrNotAllowed) {
			t.Errorf("%q is read as %v, %v", raw, u, err)
		}
	}
}

func TestAddressesThatMayBeTried(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"http://shop.test", "HTTPS://Shop.Test:8443/a%20b.png?x=1#f", "http://8.8.8.8/", "http://[2606:4700::1111]:8080/", "http://магазин.рф/а.png",
		"http://shop.test./", "http://shop.test:80/", "http://0xshop.test/", "http://10.example/", "http://shop.0xt/",
		"http://a_b.test/", "http://ｓｈｏｐ．ｔｅｓｔ/", "http://xn--80aswg.xn--p1ai/", "http://-a.test/",
	} {
		if _, err := ParseURL(raw); err != nil {
			t.Errorf("%q: %v", raw, err)
		}
	}
}

func FuzzParseURL(f *testing.F) {
	for _, raw := range []string{"http://shop.test:80/a", "http://user@h/", "http://[::ffff:127.0.0.1]/", "http://0x7f.1/", "http://h:25/"} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := ParseURL(raw)
		if err != nil {
			if !errors.Is(err, ErrNotAllowed) {
				t.Errorf("%q: %v", raw, err)
			}
			return
		}
		if !slices.Contains([]string{"http", "https"}, u.Scheme) || u.User != nil || u.Hostname() == "" {
			t.Errorf("%q is read as %v", raw, u)
		}
	})
}
