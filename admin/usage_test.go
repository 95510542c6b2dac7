package admin_test

import (
	"fmt"
	"strconv"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
)

// Every limit of a plan appears in the usage report of its shop.
func TestUsageListsEveryLimit(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	limits := company.Limits{}
	for i, code := range store.LimitCodes {
		limits[code] = int64(1_000_000 + i)
	}
	a.Limit(limits)
	usage := func() map[string]string {
		out := map[string]string{}
		for code, line := range a.Result("GET", "/tariff/usage", a.Owner, nil) {
			if got, want := fmt.Sprint(line.(apitest.Map)["limit"]), strconv.FormatInt(limits[code], 10); got != want {
				t.Errorf("%s is limited to %s, want %s", code, got, want)
			}
			out[code] = fmt.Sprint(line.(apitest.Map)["used"])
		}
		return out
	}
	before := usage()
	a.Result("POST", "/products", a.Owner, apitest.Map{"item": apitest.Map{"name": "Tea"}})
	a.OK("POST", "/site-files", a.Owner, apitest.Map{"name": "feed.csv", "body": "a"})
	a.Result(
		"POST", "/storefront-redirects", a.Owner,
		apitest.Map{"item": apitest.Map{"from_path": "/a/*/b", "to_target": "/c", "enabled": true}},
	)
	upload := a.OK("POST", "/v1/storages/files", a.Owner, apitest.Map{"section": "content", "file_type": "file", "original_name": "a.txt"})["upload"].(apitest.Map)
	a.Send(apitest.Request{Method: "PUT", Path: upload["url"].(string), Body: "hello", Header: map[string]string{"Content-Type": "file"}})
	a.OK("POST", "/v1/storages/files/"+upload["id"].(string)+"/done", a.Owner, nil)
	after := usage()
	for _, code := range store.LimitCodes {
		if before[code] != "0" || after[code] == "0" || after[code] == "" {
			t.Errorf("%s: %q used, then %q", code, before[code], after[code])
		}
	}
}
