package shop

import (
	"strings"
	"testing"
)

func TestZoneOfNeedsTheWholeFirstSegment(t *testing.T) {
	for _, z := range Zones {
		name := string(z)
		for path, below := range map[string]string{
			"/" + name: "", name: "", "/" + strings.ToUpper(name): "", "//" + name + "//": "",
			"/" + name + "/x": "x", "/" + name + "//x/": "x", "/" + strings.ToUpper(name[:1]) + name[1:] + "/5/x": "5/x",
		} {
			if zone, b, ok := ZoneOf(path); zone != z || b != below || !ok {
				t.Errorf("%s: %q, below %q, %t", path, zone, b, ok)
			}
		}
		for _, path := range []string{"/" + name + "s", "/x" + name, "/x/" + name, "/" + name + ".html", "/" + name + "%20", "/" + name[1:]} {
			if zone, _, ok := ZoneOf(path); ok {
				t.Errorf("%s is in zone %s", path, zone)
			}
		}
		if _, err := ParseSlug(name); err == nil {
			t.Errorf("a page may have the slug %s", name)
		}
	}
	for _, path := range []string{"", "/", "//", "/chec\u212aout", "/wi\u017fhlist", "/" + strings.Repeat("cart", 1000)} {
		if zone, _, ok := ZoneOf(path); ok || zone != "" {
			t.Errorf("%.20q is in zone %s", path, zone)
		}
	}
	if n := testing.AllocsPerRun(100, func() { ZoneOf("/DASHBOARD/x") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
