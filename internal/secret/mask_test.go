package secret

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestNoSecretIsLogged(t *testing.T) {
	secrets := []string{Preview{Company: 7, Person: 12, Until: time.Unix(1_800_000_000, 0)}.Sign([]byte("key"))}
	for _, prefix := range []string{Key, Session, Upload} {
		made, _, err := New(prefix)
		if err != nil {
			t.Fatal(err)
		}
		secrets = append(secrets, made)
	}
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: MaskAttr}))
	for _, s := range secrets {
		out.Reset()
		log.Error("the call of "+s+" failed", "path", "/v1/storages/uploads/7/"+s+"?x", "error", fmt.Errorf("dial %s: refused", s),
			slog.Group("header", "authorization", "Bearer "+s, "cookie", "__Host-vitrine-session="+s))
		if random := s[len(s)-24:]; strings.Contains(out.String(), random) || strings.Count(out.String(), "…") != 5 {
			t.Errorf("%s is in %s", s, out.String())
		}
	}
	for _, plain := range []string{"/v1/storages/files/92b61bc1-7b68-4097-b96c-ae182660e7d6/done", "vt_short", "2026-11-22-10-abc", "/products/vu_a"} {
		if got := Mask(plain); got != plain {
			t.Errorf("%s became %s", plain, got)
		}
	}
}
