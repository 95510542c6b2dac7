package body

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/shop"
)

var errTags = shop.Refuse(shop.InvalidArgument, "TAGS")

type inner struct {
	Title string `json:"title" len:"3"`
	Slug  string `json:"slug"`
}

type outer struct {
	Item struct {
		inner
		Tags   *[]string         `json:"tags" max:"2" len:"4" refuse:"TAGS"`
		Slots  map[string]string `json:"slots" max:"2" len:"5"`
		Sets   []inner           `json:"sets"`
		Slug   string            `json:"slug" len:"1"` // the outer field takes precedence
		Free   json.RawMessage   `json:"free"`
		Secret string            `json:"secret" len:"2" spaces:"kept"`
		Whole  string            `json:"whole" len:"body"`
	} `json:"item"`
	IDs []int `json:"ids" max:"3"`
	ID  int   `path:"id" json:"-"`
}

// walked returns the detail of a body's refusal, or its ignored fields.
func walked(body string) string {
	_, names, err := walkOver([]byte(body), ShapeOf(reflect.TypeFor[outer]()), []*shop.Refusal{errTags})
	if refusal, ok := shop.AsRefusal(err); ok {
		return refusal.Code + ": " + refusal.Message()
	}
	if err != nil {
		return "no JSON"
	}
	return names.String()
}

func TestWalkingStopsAtTheFirstViolation(t *testing.T) {
	t.Parallel()
	depth := func(n int) string { return `{"item":{"free":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}` }
	for body, want := range map[string]string{
		`{}`: "", `null`: "", `[]`: "", `7`: "", `"x"`: "",
		`{"ids":[1,2]}`:                                                  "",
		`{"ids":[1,2,3]}`:                                                "",
		`{"ids":[1,2,3,4]}`:                                              "INVALID_REQUEST: ids: at most 3",
		`{"ids":[1,2,3,`:                                                 "INVALID_REQUEST: ids: at most 3",
		`{"IDs":[1,2,3,4]}`:                                              "INVALID_REQUEST: IDs: at most 3",
		`{"\u0069ds":[1,2,3,4]}`:                                         "INVALID_REQUEST: ids: at most 3",
		`{"ids":[1],"ids":[1,2,3,4]}`:                                    "INVALID_REQUEST: ids: at most 3",
		`{"ids":[1,2,3],"ids":[1,2,3]}`:                                  "",
		`{"ids":{"a":[1,2,3,4]}}`:                                        "",
		`{"item":{"title":"чай"}}`:                                       "",
		`{"item":{"title":"чаёк"}}`:                                      "TEXT_TOO_LONG: item.title: at most 3 characters",
		`{"item":{"title":"\ud83c\udf75ab"}}`:                            "",
		`{"item":{"title":"\ud83c\udf75abc"}}`:                           "TEXT_TOO_LONG: item.title: at most 3 characters",
		`{"item":{"title":"\n\t\""}}`:                                    "",
		`{"item":{"title":"\\\\\\\\"}}`:                                  "TEXT_TOO_LONG: item.title: at most 3 characters",
		`{"item":{"title":["abcd"]}}`:                                    "",
		`{"item":{"slug":"ab"}}`:                                         "TEXT_TOO_LONG: item.slug: at most 1 characters",
		`{"item":{"tags":["abcd",""]}}`:                                  "",
		`{"item":{"tags":["","",""]}}`:                                   "TAGS: item.tags: at most 2",
		`{"item":{"tags":["abcde"]}}`:                                    "TAGS: item.tags[0]: at most 4 characters",
		`{"item":{"slots":{"a":"","b":""}}}`:                             "",
		`{"item":{"slots":{"a":1,"b":1,"c":1}}}`:                         "INVALID_REQUEST: item.slots: at most 2",
		`{"item":{"slots":{"abcdef":""}}}`:                               "TEXT_TOO_LONG: item.slots.abcdef: at most 5 characters",
		`{"item":{"sets":[{},{"title":"abcd"}]}}`:                        "TEXT_TOO_LONG: item.sets[1].title: at most 3 characters",
		`{"item":{"whole":"` + strings.Repeat("x", 5000) + `"}}`:         "",
		`{"item":{"sets":[` + strings.Repeat("{},", MaxList-1) + `{}]}}`: "",
		`{"item":{"sets":[` + strings.Repeat("{},", MaxList) + `{}]}}`:   "INVALID_REQUEST: item.sets: at most 100",
		depth(MaxDepth - 2):                                              "",
		depth(MaxDepth - 1):                                              "INVALID_REQUEST: the body nests more than 100 levels deep",
		`{"id":1,"item":{"nmae":1,"sets":[{"x":{}},{"x":1,"y":[{}]}]},"a,b":1,"q.w":{"r":1}}`: "id,item.nmae,item.sets[0].x,item.sets[1].y,a%2Cb,q%2Ew",
		`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1}`:                 "a,b,c,d,e,f,g,h,i,j",
		`{"` + strings.Repeat("n", 100) + `\r\nX: 1":1}`:                                      strings.Repeat("n", 64),
		`{"ids":[1,2}`: "no JSON", `{"ids"`: "no JSON", `{"item":{"title":"a`: "no JSON", `{"x":tru}`: "no JSON", "": "no JSON",
		`{} {}`: "INVALID_REQUEST: the body has more data after its JSON value", `{}}`: "INVALID_REQUEST: the body has more data after its JSON value",
	} {
		if got := walked(body); got != want {
			t.Errorf("%.80s\ngot  %s\nwant %s", body, got, want)
		}
	}
}

// The length of a text is that of the decoded text, however it is escaped, and the white space
// around it is that of strings.TrimSpace.
func TestLengthsAreThoseOfDecodedTexts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.SampledFrom([]string{"a", "ю", "🍵", `\n`, `\\`, `\"`, `\u00e9`, `\ud83c\udf75`, `\ud83c`, `\udf75`, `\uD83C\uDF75`,
			" ", `\t`, `\r\f`, `\b`, `\u0020`, `\u00A0`, "\u2003"})).
			Draw(t, "pieces")
		raw := `"` + strings.Join(pieces, "") + `"`
		var text string
		if err := json.Unmarshal([]byte(raw), &text); err != nil {
			t.Fatal(err)
		}
		n := len([]rune(text))
		all, inner := measure([]byte(raw), n)
		var trimmed string
		if err := json.Unmarshal([]byte(`"`+raw[inner.from:inner.to]+`"`), &trimmed); err != nil {
			t.Fatal(err)
		}
		if all != n || trimmed != strings.TrimSpace(text) || inner.length != len([]rune(trimmed)) {
			t.Fatalf("%s has %d characters, measured %d and %+v", raw, n, all, inner)
		}
	})
}

// A text that fits only without the white space around it loses it; other texts keep theirs.
func TestOnlyTextsThatDoNotFitAreTrimmed(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]outer{
		`{"item":{"title":" a "}}`:                                  titled(" a "),
		`{"item":{"title":"  ab\u00a0 ","nmae":1}}`:                 titled("ab"),
		`{"item":{"title":"    ","slug":"\t\n"}}`:                   titled(""),
		`{"item":{"sets":[{"title":"  a  "},{"title":"\nabc\n"}]}}`: withSets("a", "abc"),
		`{"item":{"secret":" a"}}`:                                  withSecret(" a"),
	} {
		var got outer
		if err := Decode([]byte(body), &got, nil); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v, %v", body, got, want, err)
		}
	}
	if err := Decode([]byte(`{"item":{"secret":" ab"}}`), &outer{}, nil); err == nil {
		t.Error("white space around a secret does not count")
	}
}

func titled(title string) (o outer) {
	o.Item.Title = title
	return o
}

func withSets(titles ...string) (o outer) {
	for _, title := range titles {
		o.Item.Sets = append(o.Item.Sets, inner{Title: title})
	}
	return o
}

func withSecret(secret string) (o outer) {
	o.Item.Secret = secret
	return o
}

// The decoder's result of any body that passes the walk is within the bounds.
func FuzzWalk(f *testing.F) {
	for _, seed := range []string{`{"ids":[1,2,3,4]}`, `{"IDS":[1],"iDs":[1,2,3,4]}`, `{"item":{"tags":["a"],"title":"\u0130"}}`, `{"item":{"sets":[{"title":"x"}]}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		within, _, err := walkOver([]byte(body), ShapeOf(reflect.TypeFor[outer]()), nil)
		var in outer
		if err != nil || json.Unmarshal(within, &in) != nil {
			return
		}
		tags := in.Item.Tags
		if len(in.IDs) > 3 || tags != nil && len(*tags) > 2 || len([]rune(in.Item.Title)) > 3 || len(in.Item.Sets) > MaxList {
			t.Errorf("%q passed", body)
		}
	})
}
