package draft_test

import (
	"strings"
	"testing"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/source"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/draft"
)

// A link is valid for a day, for one shop, and only while the person and the key that requested
// it may read the draft.
func TestAPreviewLinkExpiresWithTheAccessOfItsRequester(t *testing.T) {
	b := open(t)
	secret, err := b.Store.Secret(t.Context(), draft.PreviewSecret)
	if err != nil {
		t.Fatal(err)
	}
	holds := source.New(b.Store, b.Blobs, shop.Storefronts{}).Previews(secret, b.Clock.Now)
	link := func(key string) string {
		answer := b.Result("POST", "/drafts/preview", key, nil)
		token, ours := strings.CutPrefix(answer["url"].(string), "http://tea.shops.test/_vitrine/preview/")
		if !ours || answer["expires_at"] != b.Clock.Now().Add(24*time.Hour).Format(time.RFC3339) {
			t.Errorf("%v", answer)
		}
		return token
	}
	check := func(when, token string, company shop.CompanyID, want bool) {
		t.Helper()
		until, err := holds(t.Context(), company, token)
		if err != nil || until.IsZero() == want {
			t.Errorf("%s: until %v, %v", when, until, err)
		}
	}
	session := b.Session(b.EditorID)
	byKey, bySession := link(b.Dev), link(session)
	check("fresh", byKey, b.Shop.ID, true)
	check("of a session", bySession, b.Shop.ID, true)
	check("for another shop", byKey, b.Other.ID, false)
	check("with the id of another shop", strings.Replace(byKey, b.Shop.ID.String()+"-", b.Other.ID.String()+"-", 1), b.Other.ID, false)

	owner := b.Session(b.OwnerID)
	keys := b.OK("GET", "/v1/account/tokens", owner, nil)["result"].(l)
	for _, k := range keys {
		if k.(m)["contour"] == "dev" {
			b.OK("DELETE", "/v1/account/tokens/"+id(k.(m)), owner, nil)
		}
	}
	check("its key was revoked", byKey, b.Shop.ID, false)
	check("the other one", bySession, b.Shop.ID, true)
	b.Clock.Advance(24 * time.Hour)
	check("a day later", bySession, b.Shop.ID, false)
}

// The address is on the host of the slug, where it is the same before and after a domain is active.
func TestAPreviewIsOnTheHostOfTheSlug(t *testing.T) {
	b := open(t)
	if err := b.Store.Write(t.Context(), b.Shop.ID, func(tx *store.Tx) error { return company.SetDomain(t.Context(), tx, "tea.example.test", time.Now()) }); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{b.Dev, b.Session(b.EditorID)} {
		if url := b.Result("POST", "/drafts/preview", key, nil)["url"].(string); !strings.HasPrefix(url, "http://tea.shops.test/_vitrine/preview/") {
			t.Errorf("the address is %s", url)
		}
	}
}

func TestWhoMayPreview(t *testing.T) {
	b := open(t)
	b.Refused("POST", "/drafts/preview", b.Scoped("catalog:write"), nil, 403, "PAT_SCOPE_MISSING")
	b.Refused("POST", "/drafts/preview", "", nil, 401, "UNAUTHENTICATED")
	for _, key := range []string{b.Owner, b.Editor, b.Dev, b.Session(b.EditorID), b.Key(b.OwnerID, shop.Owner, shop.Dev, "catalog:read")} {
		b.Result("POST", "/drafts/preview", key, nil)
	}
}
