package access_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
)

func TestThePassportDescribesAKey(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	admin := a.Key(a.Member(shop.Admin), shop.Admin, shop.Prod)
	editorDev := a.Key(a.EditorID, shop.Editor, shop.Dev)
	for name, c := range map[string]struct {
		key, contour, role string
		can, cannot        []string
		publish            bool
	}{
		"owner":      {a.Owner, "prod", "owner", []string{"catalog_read", "catalog_write", "storage_read", "storage_write", "html_level3_allowed", "redirects_write"}, nil, true},
		"admin":      {admin, "prod", "admin", []string{"catalog_write", "html_level3_allowed", "redirects_read"}, nil, true},
		"editor":     {a.Editor, "prod", "editor", []string{"catalog_read", "catalog_write", "storage_write"}, []string{"html_level3_allowed", "redirects_read", "redirects_write"}, false},
		"owner dev":  {a.Dev, "dev", "owner", []string{"catalog_read", "storage_write", "redirects_read"}, []string{"redirects_write"}, true},
		"editor dev": {editorDev, "dev", "editor", []string{"catalog_read"}, []string{"html_level3_allowed", "redirects_write"}, false},
		"one scope":  {a.Scoped("catalog:read"), "prod", "owner", []string{"catalog_read"}, []string{"catalog_write", "storage_read", "html_level3_allowed"}, false},
		"session":    {a.Session(a.OwnerID), "prod", "owner", []string{"catalog_write", "redirects_write"}, nil, true},
	} {
		p := a.Result("GET", "/v1/account/token", c.key, nil)
		if p["contour"] != c.contour || p["writes_to_live"] != (c.contour == "prod") || p["role"] != c.role || p["publish_allowed"] != c.publish {
			t.Errorf("%s: %v", name, p)
		}
		capabilities := p["capabilities"].(m)
		for _, field := range []string{"catalog_read", "catalog_write", "storage_write", "html_level3_allowed", "site_files_read", "site_files_write"} {
			if _, there := capabilities[field].(bool); !there {
				t.Errorf("%s: no capability %s", name, field)
			}
		}
		for _, field := range c.can {
			if capabilities[field] != true {
				t.Errorf("%s: %s is %v", name, field, capabilities[field])
			}
		}
		for _, field := range c.cannot {
			if capabilities[field] != false {
				t.Errorf("%s: %s is %v", name, field, capabilities[field])
			}
		}
		denied := p["live_operations_denied"].(l)
		if moving := slices.Contains(denied, any("POST /categories/move")); moving != (c.contour == "dev") {
			t.Errorf("%s: denied %v", name, denied)
		}
		if len(p["warnings"].(l)) == 0 || !strings.HasPrefix(p["guides"].(m)["scopes"].(string), apitest.AdminURL) {
			t.Errorf("%s: warnings %v, guides %v", name, p["warnings"], p["guides"])
		}
		if _, list := p["scopes"].(l); !list {
			t.Errorf("%s: scopes %v", name, p["scopes"])
		}
	}
}

// A capability must match what the endpoints actually allow.
func TestCapabilitiesFollowTheTable(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for name, key := range map[string]string{"owner": a.Owner, "editor": a.Editor, "dev": a.Dev} {
		capabilities := a.Result("GET", "/v1/account/token", key, nil)["capabilities"].(m)
		who, err := a.Admin.Access.Identify(t.Context(), api.Credentials{Token: key})
		if err != nil {
			t.Fatal(err)
		}
		admitted := map[string]bool{}
		for _, e := range a.Admin.Table() {
			for _, s := range e.Scopes {
				field := strings.NewReplacer(":", "_", "-", "_").Replace(string(s))
				admitted[field] = admitted[field] || e.Admit(who) == nil && e.Auth != api.Link
			}
		}
		for field, can := range admitted {
			if capabilities[field] != can {
				t.Errorf("%s: %s says %v, the endpoints %v", name, field, capabilities[field], can)
			}
		}
	}
}

func TestThePassportNamesTheStore(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	origin := func() any {
		org := a.Result("GET", "/v1/orgs/current", a.Owner, nil)
		info := a.Result("GET", "/v1/account/token", a.Owner, nil)["store"].(m)
		if info["currency"] != "EUR" || info["slug"] != "tea" || info["id"] != float64(a.Shop.ID) ||
			info["storefront_url"] != org["storefront_url"] {
			t.Errorf("store %v, org %v", info, org)
		}
		return info["storefront_url"]
	}
	if got := origin(); got != "http://tea.shops.test" {
		t.Error(got)
	}
	err := a.Store.Write(t.Context(), a.Shop.ID, func(tx *store.Tx) error { return companydb.SetDomain(t.Context(), tx, "tea.example.test", time.Now()) })
	if got := origin(); err != nil || got != "http://tea.example.test" {
		t.Error(got, err)
	}
	before := len(a.Result("GET", "/v1/account/token", a.Owner, nil)["warnings"].(l))
	a.Close(true)
	if after := a.Result("GET", "/v1/account/token", a.Owner, nil)["warnings"].(l); len(after) != before+1 {
		t.Errorf("a closed shop must cause a warning: %v", after)
	}
}

// A read-only key gets no warning about writing to the live shop.
func TestAReadOnlyKeyGetsNoWriteWarning(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for name, c := range map[string]struct {
		key    string
		writes bool
	}{
		"reads":  {a.Scoped("catalog:read", "storage:read"), false},
		"writes": {a.Scoped("catalog:read", "catalog:write"), true},
	} {
		warnings := fmt.Sprint(a.Result("GET", "/v1/account/token", c.key, nil)["warnings"])
		if strings.Contains(warnings, "writes to") != c.writes || strings.Contains(warnings, "only reads") == c.writes {
			t.Errorf("%s: %s", name, warnings)
		}
	}
}
