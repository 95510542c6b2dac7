package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// The doctor finds nothing wrong where processes can start, and names what keeps them from it
// without waiting for it.
func TestDoctorNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.shop("tea")
	p.start()
	for _, c := range []struct {
		what, setting, check, text string
	}{
		{"a working installation", "", "", ""},
		{"another key", "VITRINE_SECRET_KEY=" + aKey, "installation", "secret key"},
		{"other addresses", "VITRINE_ADMIN_URL=https://admin.example.com", "installation", "VITRINE_ADMIN_URL"},
		{"another bucket", "VITRINE_BLOB_URL=file://" + t.TempDir(), "installation", "bucket"},
		{"a bucket that is down", "VITRINE_BLOB_URL=s3://bucket?endpoint=http://127.0.0.1:1", "bucket", ""},
		{"a database that is down", "VITRINE_DATABASE_URL=postgres://nobody@127.0.0.1:1/none", "database", ""},
		{"an empty data dir", "VITRINE_DATABASE_URL=", "database", "vitrine serve creates it"},
		{"a cache without an address", "VITRINE_PURGE=varnish:", "settings", "VITRINE_PURGE"},
		{"a certificate that is missing", "VITRINE_TLS_CERT=/nowhere/cert.pem", "certificates", "/nowhere/cert.pem"},
	} {
		changed := *p
		changed.env = append(p.env[:len(p.env):len(p.env)], c.setting)
		if c.setting == "" {
			changed.env = p.env
		}
		begin := time.Now()
		out, stderr, err := changed.run("doctor")
		var got struct {
			OK     bool
			Checks []diagnosis
		}
		if jsonErr := json.Unmarshal(out, &got); jsonErr != nil {
			t.Errorf("%s: %v, printed %q %s", c.what, jsonErr, out, stderr)
			continue
		}
		t.Logf("%s took %v", c.what, time.Since(begin).Round(time.Millisecond))
		if fine := c.check == ""; (err == nil) != fine || got.OK != fine || len(got.Checks) < 9 {
			t.Errorf("%s: %v, %s", c.what, err, out)
		}
		for _, one := range got.Checks {
			if one.Check == c.check && (one.OK || !strings.Contains(one.Detail, c.text)) {
				t.Errorf("%s: %+v", c.what, one)
			}
		}
		if strings.Contains(string(out)+stderr, aKey) {
			t.Errorf("%s: a secret is printed", c.what)
		}
	}
}
