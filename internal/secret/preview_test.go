package secret

import (
	"strings"
	"testing"
	"time"
)

func TestPreviewTokensAreAuthenticated(t *testing.T) {
	now := time.Unix(1_800_000_000, 0).UTC()
	key := []byte("0123456789abcdef0123456789abcdef")
	given := Preview{Company: 7, Person: 12, Key: 3, Until: now.Add(time.Hour)}
	token := given.Sign(key)
	if got, ok := ReadPreview(token, key, now); !ok || got != given {
		t.Fatalf("%+v %v", got, ok)
	}
	for name, c := range map[string]struct {
		token string
		key   []byte
		now   time.Time
	}{
		"over":              {token, key, given.Until},
		"another secret":    {token, []byte("another secret of the same sizes"), now},
		"another shop":      {strings.Replace(token, "7-", "8-", 1), key, now},
		"longer":            {strings.Replace(token, "1800003600", "1900003600", 1), key, now},
		"cut":               {token[:len(token)-1], key, now},
		"without a mac":     {"7-12-3-1900003600-", key, now},
		"empty":             {"", key, now},
		"long":              {strings.Repeat("7", 1<<16), key, now},
		"upper case":        {strings.ToUpper(token), key, now},
		"a space in front":  {" " + token, key, now},
		"only a dash":       {"-", key, now},
		"a word for number": {"seven-12-3-1800003600-" + previewMark("seven-12-3-1800003600", key), key, now},
	} {
		if got, ok := ReadPreview(c.token, c.key, c.now); ok {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func FuzzReadPreview(f *testing.F) {
	now := time.Unix(1_800_000_000, 0).UTC()
	key := []byte("0123456789abcdef0123456789abcdef")
	f.Add(Preview{Company: 7, Person: 12, Until: now.Add(time.Hour)}.Sign(key))
	f.Add("7-12-0-1800003600-00")
	f.Fuzz(func(t *testing.T, token string) {
		if p, ok := ReadPreview(token, key, now); ok && p.Sign(key) != token {
			t.Errorf("%q is read as %+v", token, p)
		}
	})
}
