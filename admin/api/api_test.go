package api

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"vitrine/internal/shop"
)

type request struct {
	ID    shop.CategoryID  `path:"id" json:"-"`
	IDs   []shop.ProductID `query:"filter.ids" json:"-"`
	Min   *int64           `query:"min" json:"-"`
	Flag  bool             `query:"flag" json:"-"`
	Name  string           `json:"name"`
	Count int32            `json:"count"`
	Paging
}

// ask decodes the request of one call.
func ask(body string, strict bool, path map[string]string, query map[string][]string) (request, error) {
	var got request
	e := &Endpoint{Strict: strict, Do: Handle(func(_ context.Context, _ *Call, in request) (None, error) { got = in; return None{}, nil })}
	c := &Call{endpoint: e, body: strings.NewReader(body), size: int64(len(body)),
		path: func(n string) string { return path[n] }, query: func(n string) []string { return query[n] }}
	_, err := e.Do.run(context.Background(), c)
	return got, err
}

func TestRequestsAreReadFromAddressAndBody(t *testing.T) {
	got, err := ask(`{"name":"tea","count":3,"unknown":[1]}`, false, map[string]string{"id": "7"},
		map[string][]string{"filter.ids": {"1", "2"}, "min": {"5"}, "flag": {"true"}, "page.number": {"2"}, "page.limit": {"10"}, "nope": {"x"}})
	if err != nil || got.ID != 7 || len(got.IDs) != 2 || *got.Min != 5 || !got.Flag || got.Name != "tea" || got.Count != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	if n, l, err := got.Page(20); n != 2 || l != 10 || err != nil {
		t.Errorf("page %d limit %d, %v", n, l, err)
	}
}

func TestBadRequestsAreRefusedInTermsOfTheRequest(t *testing.T) {
	for name, c := range map[string]struct {
		body   string
		strict bool
		path   string
		query  map[string][]string
		want   string
	}{
		"not JSON":         {body: `{"name":`, want: "INVALID_REQUEST"},
		"two values":       {body: `{} {}`, want: "more data after"},
		"a list":           {body: `[]`, want: "INVALID_REQUEST"},
		"wrong type":       {body: `{"name":5}`, want: "name: expected text"},
		"no object":        {body: `[]`, want: "the body: expected an object"},
		"out of range":     {body: `{"count":2147483648}`, want: "count: expected a smaller number"},
		"a fraction":       {body: `{"count":1.5}`, want: "count: expected a whole number, got number 1.5"},
		"depth bomb":       {body: strings.Repeat(`{"name":`, 20000), want: "INVALID_REQUEST"},
		"NUL escape":       {body: `{"name":"a\u0000"}`, want: "without NUL"},
		"raw NUL":          {body: "{\"name\":\"a\x00\"}", want: "INVALID_REQUEST"},
		"invalid UTF-8":    {body: "{\"name\":\"\xff\"}", want: "not UTF-8"},
		"too large":        {body: `{"name":"` + strings.Repeat("a", 1<<20) + `"}`, want: "BODY_TOO_LARGE"},
		"unknown, strict":  {body: `{"nope":1}`, strict: true, want: "invalid request body: nope"},
		"id is a word":     {path: "seven", want: "NOT_FOUND"},
		"id too large":     {path: "99999999999", want: "NOT_FOUND"},
		"comma list":       {query: map[string][]string{"filter.ids": {"1,2"}}, want: "INVALID_REQUEST: filter.ids"},
		"no number":        {query: map[string][]string{"min": {"x"}}, want: "INVALID_REQUEST: min"},
		"empty number":     {query: map[string][]string{"min": {""}}, want: ""},
		"no bool":          {query: map[string][]string{"flag": {"maybe"}}, want: "INVALID_REQUEST: flag"},
		"query not UTF-8":  {query: map[string][]string{"flag": {"\xff"}}, want: "INVALID_REQUEST: flag"},
		"empty body field": {body: `{"count":null}`, want: ""},
		"escaped NUL text": {body: `{"name":"a\\u0000"}`, want: ""},
	} {
		path := c.path
		if path == "" {
			path = "1"
		}
		_, err := ask(c.body, c.strict, map[string]string{"id": path}, c.query)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %.120v, want %q", name, err, c.want)
		}
	}
}

func TestPagingLimits(t *testing.T) {
	n := func(v int) *int { return &v }
	for _, c := range []struct {
		p  Paging
		ok bool
	}{
		{Paging{}, true}, {Paging{n(1), n(100)}, true}, {Paging{nil, n(5)}, true},
		{Paging{n(1), n(101)}, false}, {Paging{n(0), n(5)}, false}, {Paging{n(2), nil}, false}, {Paging{n(1), n(0)}, false},
	} {
		if _, _, err := c.p.Page(20); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.p, err)
		}
	}
}

func TestAdmission(t *testing.T) {
	forbidden := shop.Refuse(shop.PermissionDenied, "FORBIDDEN")
	key := Identity{Person: 1, Company: 1, Role: shop.Owner, Contour: shop.Prod, Key: 1, Scopes: []shop.Scope{"catalog:read"}}
	dev, editor, session, stranger := key, key, key, key
	dev.Contour, editor.Role, session.Key, stranger.Role = shop.Dev, shop.Editor, 0, ""
	editorSession, leads := editor, []shop.Scope{"leads:read"}
	editorSession.Key = 0
	devSession := session
	devSession.Contour = shop.Dev
	reads := []shop.Scope{"catalog:read"}
	for name, c := range map[string]struct {
		e    Endpoint
		who  Identity
		want error
	}{
		"anonymous, private":       {Endpoint{Scopes: reads}, Identity{}, ErrUnauthenticated},
		"anonymous, public":        {Endpoint{Auth: Public, Scopes: reads}, Identity{}, nil},
		"key with the scope":       {Endpoint{Scopes: reads}, key, nil},
		"key without the scope":    {Endpoint{Scopes: []shop.Scope{"catalog:write"}}, key, ErrScopeMissing},
		"public needs no scope":    {Endpoint{Auth: Public, Scopes: []shop.Scope{"orders:read"}}, key, nil},
		"session only":             {Endpoint{Auth: SessionOnly}, key, ErrMethodForKeys},
		"session":                  {Endpoint{Auth: SessionOnly}, session, nil},
		"session needs no scope":   {Endpoint{Scopes: []shop.Scope{"catalog:write"}}, session, nil},
		"editor where owners only": {Endpoint{Scopes: reads, Manage: forbidden}, editor, forbidden},
		"editor, sensitive scope":  {Endpoint{Scopes: leads}, editorSession, ErrRole},
		"owner, sensitive scope":   {Endpoint{Scopes: leads}, session, nil},
		"public, sensitive scope":  {Endpoint{Auth: Public, Scopes: leads}, editorSession, nil},
		"draft key, live write":    {Endpoint{Scopes: reads, Contour: RefusesDraft}, dev, ErrContour},
		"draft session, live":      {Endpoint{Contour: RefusesDraft}, devSession, ErrDevMode},
		"not a member":             {Endpoint{Scopes: reads}, stranger, ErrRole},
	} {
		if err := c.e.Admit(c.who); !errors.Is(err, c.want) && !(err == nil && c.want == nil) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	err := (&Endpoint{Scopes: []shop.Scope{"catalog:write"}}).Admit(key)
	if r, _ := shop.AsRefusal(err); r.Fields["required_scope"] != shop.Scope("catalog:write") {
		t.Errorf("want required_scope beside the error: %v", r.Fields)
	}
}

func TestRateWindows(t *testing.T) {
	now := time.Unix(120, 0)
	l := NewLimiter(func() time.Time { return now }, nil)
	for i := range 240 {
		if err := l.Take(t.Context(), 1, Write); err != nil {
			t.Fatalf("call %d: %v", i+1, err)
		}
	}
	now = time.Unix(145, 0)
	err := l.Take(t.Context(), 1, Write)
	if r, ok := shop.AsRefusal(err); !ok || r.Code != "RATE_LIMITED" || r.RetryAfterHeader() != "35" {
		t.Errorf("call 241: %v", err)
	}
	if l.Take(t.Context(), 1, Read) != nil || l.Take(t.Context(), 2, Write) != nil || l.Take(t.Context(), 0, Write) != nil {
		t.Error("other classes, other companies and anonymous calls should be counted separately")
	}
	now = time.Unix(180, 0)
	if err := l.Take(t.Context(), 1, Write); err != nil {
		t.Errorf("the next minute: %v", err)
	}
}

func FuzzDecodeJSON(f *testing.F) {
	f.Add([]byte(`{"name":"a","count":1}`))
	f.Add([]byte(`{"name":"\u0000"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := ask(string(body), false, map[string]string{"id": "1"}, nil)
		if err == nil && bytes.ContainsRune([]byte(got.Name), 0) {
			t.Errorf("NUL was accepted in %q", body)
		}
		if err != nil {
			if _, ok := shop.AsRefusal(err); !ok {
				t.Errorf("%q: %v is not a refusal", body, err)
			}
		}
	})
}
