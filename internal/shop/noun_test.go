package shop_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"vitrine/internal/shop"
)

func TestIdsReadNumbersAndStringsAndPrintTheirOwnForm(t *testing.T) {
	var in struct {
		Small shop.CategoryID `json:"small"`
		Big   shop.RuleID     `json:"big"`
	}
	for _, body := range []string{`{"small":5,"big":"9007199254740993"}`, `{"small":"5","big":9007199254740993}`} {
		if err := json.Unmarshal([]byte(body), &in); err != nil {
			t.Fatal(err)
		}
		out, err := json.Marshal(in)
		if want := `{"small":5,"big":"9007199254740993"}`; err != nil || string(out) != want {
			t.Errorf("%s was encoded as %s, %v", body, out, err)
		}
	}
	for _, body := range []string{`{"small":2147483648}`, `{"small":1.5}`, `{"small":"x"}`, `{"big":9223372036854775808}`, `{"big":"1e3"}`, `{"small":true}`} {
		if err := json.Unmarshal([]byte(body), &in); err == nil {
			t.Errorf("%s was accepted", body)
		}
	}
}

func TestRefusalsFormatAndCompareByCode(t *testing.T) {
	base := shop.Refuse(shop.AlreadyExists, "SLUG_TAKEN")
	r := base.With("tea").WithField("limit_code", "x")
	if got := r.Error(); got != "rpc error: code = AlreadyExists desc = SLUG_TAKEN: tea" {
		t.Error(got)
	}
	if got := base.Error(); got != "rpc error: code = AlreadyExists desc = SLUG_TAKEN" || base.Fields != nil {
		t.Errorf("the declared refusal changed: %s %v", got, base.Fields)
	}
	if !errors.Is(fmt.Errorf("while saving: %w", r), base) || errors.Is(r, shop.ErrNotFound) {
		t.Error("wrapped refusals must compare by code")
	}
	for class, status := range map[shop.Class]int{
		shop.InvalidArgument: 400, shop.FailedPrecondition: 400, shop.Unauthenticated: 401, shop.PermissionDenied: 403, shop.NotFound: 404,
		shop.AlreadyExists: 409, shop.Aborted: 409, shop.ResourceExhausted: 429, shop.Internal: 500, shop.Unavailable: 503,
	} {
		if got := shop.Refuse(class, "X").Status(); got != status {
			t.Errorf("%s has status %d, want %d", class, got, status)
		}
	}
	if got := base.WithStatus(422).Status(); got != 422 {
		t.Errorf("WithStatus: %d", got)
	}
	if got := shop.ErrRateLimited.RetryAfter(7).RetryAfterHeader(); got != "7" {
		t.Errorf("Retry-After: %q", got)
	}
}

func TestScopes(t *testing.T) {
	all, unknown := shop.ParseScopes("all")
	if len(all) != len(shop.Scopes) || unknown != nil || len(all) > shop.MaxScopes {
		t.Errorf("all: %d scopes, %v", len(all), unknown)
	}
	some, unknown := shop.ParseScopes("catalog:read, catalog:read,nope,orders:write")
	if len(some) != 2 || len(unknown) != 1 || unknown[0] != "nope" {
		t.Errorf("%v %v", some, unknown)
	}
	if shop.Scope("catalog:read").Sensitive() || !shop.Scope("orders:read").Sensitive() {
		t.Error("orders must be sensitive, the catalogue must not")
	}
}

func TestStorefronts(t *testing.T) {
	s, err := shop.ParseStorefronts("http://{shop}.localhost:8080")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Origin("tea", ""); got != "http://tea.localhost:8080" {
		t.Error(got)
	}
	if got := s.Origin("tea", "tea.example.test"); got != "http://tea.example.test:8080" {
		t.Error(got)
	}
	if hosts := s.Hosts("tea", "tea.example.test"); hosts[0] != "tea.example.test" || hosts[1] != "tea.localhost" {
		t.Error(hosts)
	}
	for host, want := range map[string]string{"tea.localhost": "tea", "localhost": "", "a.b.localhost": "", ".localhost": "", "tea.example": ""} {
		if slug, ok := s.Slug(host); ok != (want != "") || ok && slug != want {
			t.Errorf("%s: %q %v", host, slug, ok)
		}
	}
	for _, bad := range []string{"", "http://shop.localhost", "ftp://{shop}.x", "http://{shop}.x/path", "{shop}.x", "http://x.{shop}.y"} {
		if _, err := shop.ParseStorefronts(bad); err == nil {
			t.Errorf("%q was accepted as a template", bad)
		}
	}
}
