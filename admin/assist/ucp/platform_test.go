package ucp_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
)

// ask makes the same call by REST and by MCP, and returns the statuses and codes of both.
func (s *store) ask() string {
	s.t.Helper()
	out := s.rest(search, "", object{"query": "tea"})
	status, failed := s.call(search, "", object{"query": "tea"})
	var code any
	if failed["data"] != nil {
		code = fmt.Sprint(failed["code"], " ", failed["data"].(object)["code"])
	} else if messages, ok := failed["messages"].([]any); ok {
		code = messages[0].(object)["code"]
	} else {
		code = "found"
	}
	own := out.JSON["code"]
	if messages, ok := out.JSON["messages"].([]any); ok {
		own = messages[0].(object)["code"]
	} else if own == nil {
		own = "found"
	}
	return fmt.Sprint(out.Status, " ", own, " | ", status, " ", code)
}

func raw(text string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { w.Write([]byte(text)) } //nolint:errcheck // the client may be gone
}

func TestAPlatformIsKnownByItsProfile(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	const (
		unreachable  = "424 profile_unreachable | 424 -32001 profile_unreachable"
		malformed    = "422 profile_malformed | 422 -32001 profile_malformed"
		unsupported  = "422 version_unsupported | 422 -32001 version_unsupported"
		invalid      = "400 invalid_profile_url | 400 -32001 invalid_profile_url"
		incompatible = "200 capabilities_incompatible | 200 capabilities_incompatible"
		found        = "200 found | 200 found"
	)
	version := func(v string) func(http.ResponseWriter) {
		p := profileOf(all...)
		p["ucp"].(object)["version"] = v
		return func(w http.ResponseWriter) { writeJSON(w, p) }
	}
	with := func(field string, value any) func(http.ResponseWriter) {
		p := profileOf(all...)
		p["ucp"].(object)[field] = value
		return func(w http.ResponseWriter) { writeJSON(w, p) }
	}
	for name, c := range map[string]struct {
		profile func(http.ResponseWriter)
		want    string
	}{
		"as it should be":               {func(w http.ResponseWriter) { writeJSON(w, profileOf(all...)) }, found},
		"a redirect":                    {func(w http.ResponseWriter) { w.Header().Set("Location", "/other"); w.WriteHeader(302) }, unreachable},
		"an error":                      {func(w http.ResponseWriter) { w.WriteHeader(500) }, unreachable},
		"no JSON":                       {raw("<html>"), malformed},
		"a list":                        {raw("[]"), malformed},
		"nested":                        {raw(`{"ucp":` + strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000) + "}"), malformed},
		"1 GB":                          {func(w http.ResponseWriter) { flood(w) }, malformed},
		"1 GB, announced":               {func(w http.ResponseWriter) { w.Header().Set("Content-Length", "1073741824"); flood(w) }, malformed},
		"no services":                   {with("services", nil), malformed},
		"no payment handlers":           {with("payment_handlers", nil), malformed},
		"services of no list":           {with("services", object{"dev.ucp.shopping": object{}}), malformed},
		"a name with a space":           {with("capabilities", object{"my capability": []any{object{"version": release}}}), malformed},
		"capability of no date":         {with("capabilities", object{all[0]: []any{object{"version": "1"}}}), malformed},
		"older":                         {version("2026-01-11"), unsupported},
		"newer":                         {version("2027-01-01"), unsupported},
		"version of no date":            {version("1.0"), malformed},
		"other capabilities":            {func(w http.ResponseWriter) { writeJSON(w, profileOf(all[2:]...)) }, incompatible},
		"capability of another version": {with("capabilities", object{all[0]: []any{object{"version": "2026-01-11"}}}), incompatible},
		"several versions":              {with("capabilities", object{all[0]: []any{object{"version": "2026-01-11"}, object{"version": release}}}), found},
	} {
		s.platform = newPlatform(t)
		s.platform.publish(c.profile)
		if got := s.ask(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if s.platform.reads != 1 {
			t.Errorf("%s: read %d times", name, s.platform.reads)
		}
		s.Clock.Advance(time.Minute)
	}
	for name, address := range map[string]string{
		"private": "http://10.0.0.1/profile", "metadata": "http://169.254.169.254/latest", "of the machine": "http://127.0.0.2:1/p",
		"nobody there": "http://127.0.0.1:1/p",
	} {
		s.platform = &platform{Server: newPlatform(t).Server}
		s.platform.URL = strings.TrimSuffix(address, "/profile")
		got := s.ask()
		if got != unreachable && got != invalid {
			t.Errorf("%s: %s", name, got)
		}
	}
	for name, address := range map[string]string{"no scheme": "platform.test/profile", "a file": "file:///etc/passwd", "empty": "", "long": "https://p.test/" + strings.Repeat("x", 3000)} {
		s.platform.URL = address
		if status, failed := s.call(search, "", object{"query": "tea"}); status != 400 || failed["data"].(object)["code"] != "invalid_profile_url" {
			t.Errorf("%s: %d %v", name, status, failed)
		}
	}
}

func flood(w http.ResponseWriter) {
	chunk := bytes.Repeat([]byte(" "), 64<<10)
	for range 16 << 10 {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

func TestTheAgentIsNamedOnce(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	header := func(value string) apitest.Answer {
		return s.rest(search, "", object{"query": "tea"}, "UCP-Agent", value)
	}
	at := s.platform.address()
	for _, good := range []string{`profile="` + at + `"`, `name="x", profile="` + at + `"`, `profile="` + at + `";v=1`} {
		if out := header(good); out.Status != 200 {
			t.Errorf("%s: %d %s", good, out.Status, out.Body)
		}
	}
	for _, bad := range []string{"", "x", at, `profile=` + at, `profile="` + at, `Profile="` + at + `"`, `profile=("` + at + `")`, `profile="a", profile="` + at + `"`} {
		if out := header(bad); out.Status != 400 || out.JSON["code"] != "invalid_profile_url" {
			t.Errorf("%s: %d %s", bad, out.Status, out.Body)
		}
	}
}

func TestAProfileIsReadAgainWhenItIsOld(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	reads := func(want int) {
		t.Helper()
		s.rest(search, "", object{"query": "tea"})
		if s.platform.reads != want {
			t.Errorf("read %d times, want %d", s.platform.reads, want)
		}
	}
	s.platform.publish(func(w http.ResponseWriter) {
		w.Header().Set("Cache-Control", "public, max-age=7200")
		writeJSON(w, profileOf(all...))
	})
	reads(1)
	s.Clock.Advance(time.Hour)
	reads(1)
	s.Clock.Advance(time.Hour)
	s.platform.publish(func(w http.ResponseWriter) {
		w.Header().Set("Cache-Control", "no-store")
		writeJSON(w, profileOf(all[2:]...))
	})
	if out := s.rest(search, "", object{"query": "tea"}); pick(out.JSON, "messages", 0, "code") != "capabilities_incompatible" {
		t.Errorf("after the profile changed: %s", out.Body)
	}
	s.Clock.Advance(59 * time.Second)
	reads(2)
	s.Clock.Advance(time.Second)
	reads(3)
}

func TestUnknownProfilesAreLimited(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	codes := map[any]int{}
	known := s.platform.address()
	s.rest(search, "", object{"query": "tea"})
	for i := range 80 {
		out := s.rest(search, "", object{"query": "tea"}, "UCP-Agent", fmt.Sprintf("profile=%q", s.platform.URL+fmt.Sprint("/", i)))
		codes[out.JSON["code"]]++
		if out.Status == 503 && out.Header.Get("Retry-After") == "" {
			t.Errorf("no Retry-After: %s", out.Body)
		}
	}
	if codes[nil] != 59 || codes["unavailable"] != 21 {
		t.Errorf("answers: %v", codes)
	}
	if out := s.rest(search, "", object{"query": "tea"}, "UCP-Agent", fmt.Sprintf("profile=%q", known)); out.Status != 200 {
		t.Errorf("a known platform: %d %s", out.Status, out.Body)
	}
}
