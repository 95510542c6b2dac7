package purge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"vitrine/internal/outbound"
)

func answering(status int, text string, sent *[]outbound.Request) Do {
	return func(_ context.Context, r outbound.Request) (*outbound.Answer, error) {
		*sent = append(*sent, r)
		return &outbound.Answer{Status: status, Body: io.NopCloser(strings.NewReader(text))}, nil
	}
}

func TestTargetsAreCalledAsDocumented(t *testing.T) {
	var keys []string
	for n := range 301 {
		keys = append(keys, fmt.Sprintf("s7-product-%d", n))
	}
	for text, c := range map[string]struct {
		name, method, url string
		header            map[string]string
		calls             int
	}{
		"varnish:http://10.0.0.5:6081": {"varnish:http://10.0.0.5:6081", "PURGE", "http://10.0.0.5:6081/", map[string]string{"Surrogate-Key": "s7-product-0 s7-product-1 "}, 3},
		"fastly:SU1Z0:a-token":         {"fastly:SU1Z0", "POST", "https://api.fastly.com/service/SU1Z0/purge", map[string]string{"Fastly-Key": "a-token", "Surrogate-Key": "s7-product-0 s7-product-1 "}, 2},
		"cloudflare:023e:a-token":      {"cloudflare:023e", "POST", "https://api.cloudflare.com/client/v4/zones/023e/purge_cache", map[string]string{"Authorization": "Bearer a-token", "Content-Type": "application/json"}, 11},
	} {
		targets, err := Parse(" " + text + " ,")
		if err != nil || len(targets) != 1 || targets[0].Name != c.name {
			t.Errorf("%s: %v, %v", text, targets, err)
			continue
		}
		var sent []outbound.Request
		if err := targets[0].Purge(t.Context(), answering(200, "{}", &sent), keys); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if len(sent) != c.calls || sent[0].Method != c.method || sent[0].URL != c.url || sent[0].MaxBody == 0 {
			t.Errorf("%s: %d calls, the first %+v", text, len(sent), sent[0])
		}
		all := ""
		for _, r := range sent {
			all += r.Header["Surrogate-Key"] + " " + string(r.Body)
		}
		for _, key := range keys {
			if !strings.Contains(all, key) {
				t.Errorf("%s: %s is not purged", text, key)
			}
		}
		for name, want := range c.header {
			if !strings.HasPrefix(sent[0].Header[name], want) {
				t.Errorf("%s: %s is %q", text, name, sent[0].Header[name])
			}
		}
	}
	if targets, err := Parse("varnish:http://a:1,cloudflare:z:t"); err != nil || !CacheTags(targets) || CacheTags(targets[:1]) {
		t.Errorf("only Cloudflare reads Cache-Tag: %v, %v", targets, err)
	}
}

func TestAFailedPurgeIsAnError(t *testing.T) {
	targets, err := Parse("fastly:S:the-secret")
	if err != nil {
		t.Fatal(err)
	}
	var sent []outbound.Request
	err = targets[0].Purge(t.Context(), answering(403, "no such service", &sent), []string{"s1"})
	if err == nil || !strings.Contains(err.Error(), "no such service") || strings.Contains(err.Error(), "the-secret") {
		t.Errorf("%v", err)
	}
	down := errors.New("down")
	if err := targets[0].Purge(t.Context(), func(context.Context, outbound.Request) (*outbound.Answer, error) { return nil, down }, []string{"s1"}); !errors.Is(err, down) {
		t.Errorf("%v", err)
	}
}

func TestBadTargetsAreRefused(t *testing.T) {
	many := ""
	for n := range maxTargets + 1 {
		many += fmt.Sprintf("fastly:S%d:t,", n)
	}
	for _, text := range []string{
		"varnish", "varnish:", "varnish:ftp://a", "varnish:http://", "varnish:http://u:p@a", "varnish:http://a/path", "varnish:http://a?q", "fastly:", "fastly:S", "fastly:S:", "fastly:S:a b",
		"fastly:S/../x:t", "cloudflare:z:t\r\nX: y", "akamai:x:y", "http://a", "fastly:S:t,fastly:S:u", many,
	} {
		if targets, err := Parse(text); err == nil {
			t.Errorf("%q: %v", text, targets)
		} else if strings.Contains(err.Error(), "a b") {
			t.Errorf("the refusal shows a token: %v", err)
		}
	}
	if targets, err := Parse(" , "); err != nil || targets != nil {
		t.Errorf("an empty list: %v, %v", targets, err)
	}
}
