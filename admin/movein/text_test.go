package movein_test

import (
	"strings"
	"testing"
)

const posts = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/">
<channel><title>Blog</title><link>https://old.test</link><wp:wxr_version>1.2</wp:wxr_version><wp:base_site_url>https://old.test</wp:base_site_url>
<item><title>Hello</title><link>https://old.test/hello/</link><content:encoded><![CDATA[<p>First words.</p>]]></content:encoded><excerpt:encoded><![CDATA[]]></excerpt:encoded>
<wp:post_id>1</wp:post_id><wp:post_date_gmt>2025-05-01 10:00:00</wp:post_date_gmt><wp:post_name>hello</wp:post_name><wp:status>publish</wp:status><wp:post_type>post</wp:post_type><category domain="category" nicename="news"><![CDATA[News]]></category></item>
<item><title>About us</title><link>https://old.test/about-us/</link><content:encoded><![CDATA[<p>We sell.</p>]]></content:encoded><excerpt:encoded><![CDATA[]]></excerpt:encoded>
<wp:post_id>2</wp:post_id><wp:post_date_gmt>2025-05-01 10:00:00</wp:post_date_gmt><wp:post_name>about-us</wp:post_name><wp:status>publish</wp:status><wp:post_type>page</wp:post_type></item>
</channel></rss>`

func TestArticlesAndPagesAreImportedAndUndone(t *testing.T) {
	t.Parallel()
	y := open(t)
	first := y.imported(posts)
	article := y.OK("GET", "/articles/by-slug/hello", y.Owner, nil)
	if text := article["content_blocks"]; !strings.Contains(strings.ReplaceAll(sprint(text), "\\u003c", "<"), "First words.") {
		t.Errorf("%v", text)
	}
	if page := y.Result("GET", "/categories/by-slug/about-us", y.Owner, nil); page["type"] != "page" || !strings.Contains(sprint(page["description"]), "We sell.") {
		t.Errorf("%v", page)
	}
	y.undo(first["id"])
	y.Refused("GET", "/articles/by-slug/hello", y.Owner, nil, 404, "ARTICLE_NOT_FOUND")
	y.Refused("GET", "/categories/by-slug/about-us", y.Owner, nil, 404, "CATEGORY_NOT_FOUND")
}

func TestAnUndoRemovesCustomersWhoOnlyCameWithTheImport(t *testing.T) {
	t.Parallel()
	y := open(t)
	y.OK("POST", "/customers", y.owner, m{"email": "bob@people.test", "name": "Own Bob"})
	const sheet = "Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address Company,Phone,Note,Tags\n" +
		"1,Ann,Lee,Ann@people.test,no,,'+4912345,Nice,vip\n2,Bob,Ray,bob@people.test,no,,,,\n"
	names := func() (all []string) {
		for _, c := range y.Result("GET", "/customers", y.owner, nil)["items"].(l) {
			all = append(all, sprint(c.(m)["name"]))
		}
		return all
	}
	first := y.imported(sheet)
	if all := strings.Join(names(), ","); all != "Ann Lee,Own Bob" {
		t.Error(all)
	}
	y.undo(first["id"])
	if all := strings.Join(names(), ","); all != "Own Bob" {
		t.Error(all)
	}
}
