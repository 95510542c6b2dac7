package admin_test

// siteFiles creates a feed from a template and deletes it at the end.
func (r *recorder) siteFiles(section string) {
	seeds := r.by("GET", "/site-files/templates", nil)["items"].(list)
	body := seeds[0].(object)["body"].(string)
	r.by("POST", "/site-files/preview", object{"path": "/yandex-feed.yml", "body": body, "limit": 5})
	made := r.by("POST", "/site-files", object{"name": "yandex-feed.yml", "body": body, "is_published": true})
	at := "/site-files/" + made["id"].(string)
	r.by("PATCH", at, object{"category_id": section, "know_version": made["row_version"]})
	r.by("GET", at, nil)
	r.by("GET", "/site-files?q=feed", nil)
	r.by("DELETE", at, nil)
}
