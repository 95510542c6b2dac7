package shop

import "testing"

func TestFollowedAcceptsOnlySafeAddresses(t *testing.T) {
	for address, expect := range map[string]string{
		"/teas": "/teas", " /teas\n": "/teas", "#top": "#top", "https://a.example/": "https://a.example/", "HTTP://a.example": "HTTP://a.example",
		"mailto:a@b.example": "mailto:a@b.example", "tel:+1": "tel:+1", "form:7": FormPrefix + "7",
		"javascript:alert(1)": "", "JaVaScRiPt:alert(1)": "", "java\nscript:alert(1)": "", "\x01javascript:alert(1)": "", "data:text/html,x": "",
		"vbscript:x": "", "//evil.example": "", `/\evil.example`: "", "/a\tb": "", "teas": "", "": "", "file:///etc/passwd": "", "blob:x": "",
		"form:0": "", "svc:page/5": "",
	} {
		if got, ok := SafeLink(address); got != expect || ok != (expect != "") {
			t.Errorf("Followed(%q) = %q, %v; want %q", address, got, ok, expect)
		}
	}
}

func TestThePageOfASectionIsNamedByItsID(t *testing.T) {
	for address, expect := range map[string]struct {
		id   CategoryID
		tail string
		ok   bool
	}{
		"svc:page/5": {5, "", true}, " SVC:page/5?a=1#top ": {5, "?a=1#top", true}, "svc:page/x": {0, "", true}, "svc:page/-1": {0, "", true},
		"/svc:page/5": {}, "svc:5": {},
	} {
		if id, tail, ok := PageAddress(address); id != expect.id || tail != expect.tail || ok != expect.ok {
			t.Errorf("PageAddress(%q) = %d, %q, %v", address, id, tail, ok)
		}
	}
}
