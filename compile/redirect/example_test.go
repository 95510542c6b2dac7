package redirect_test

import (
	"fmt"

	"vitrine/compile/redirect"
)

func Example() {
	var rules []redirect.Rule
	for i, in := range []redirect.Rule{
		{From: "/blog/*/*/*", To: "/news/$3?year=$1#top"},
		{From: "/goods/*", To: "/shop", DropQuery: true},
		{From: "/old-page", To: "/sale", QueryMatch: "id=5"},
	} {
		in.Enabled, in.SortOrder = true, i
		rule, err := redirect.Normalize(in)
		if err != nil {
			fmt.Println(err)
			return
		}
		rules = append(rules, rule)
	}
	set := redirect.NewSet(rules)

	var address redirect.Address
	for _, target := range []string{
		"/Blog/2021/08/A%20post?ref=mail",
		"/goods//Tea/Green/?page=2&utm_source=mail",
		"/old-page?x=1&id=5",
		"/old-page",
	} {
		if err := address.Parse(target); err != nil {
			fmt.Println(err)
			continue
		}
		match, ok := set.Match(redirect.Plain, &address)
		if !ok {
			fmt.Println("no rule for", target)
			continue
		}
		fmt.Printf("%d %s\n", match.Status(redirect.Plain), match.AppendLocation(nil, &address))
	}
	// Output:
	// 308 /news/A%20post?year=2021&ref=mail#top
	// 308 /shop/Tea/Green?utm_source=mail
	// 308 /sale?x=1&id=5
	// no rule for /old-page
}

func ExampleParseImport() {
	rows, err := redirect.ParseImport("from;to\n/old;/new\n/a -> /b\n/OLD/;/other\n/x;https://elsewhere.example/")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range rows {
		fmt.Printf("%d %s %q %q\n", row.Line, row.From, row.Status(), row.Reason)
	}
	// Output:
	// 2 /old "" ""
	// 3 /a "" ""
	// 4 /OLD/ "skipped" "DUPLICATE_IN_FILE"
	// 5 /x "error" "EXTERNAL_NOT_ALLOWED"
}
