package backup

import (
	"regexp"
	"strconv"
	"strings"
)

// Owners also write ids into texts: as addresses (svc:page/12, form:3), in the attributes of
// html documents (svc-add-to-cart="7") and in the templates of site files ({{product_url
// 7}}). Each is replaced by the id that the entity has in this installation, or by 0 if the
// backup does not contain it, so that no text of a copy refers to an unrelated entity with
// the same id.

// memberTexts are the tables with texts written by the members of a shop. Texts of visitors
// (messages, reviews, leads) are not changed.
var memberTexts = map[string]bool{
	"category": true, "product": true, "product_group": true, "article": true, "content_block": true, "gallery": true, "gallery_item": true,
	"variant_set": true, "document": true, "release": true, "form": true, "redirect_rule": true, "redirect_version": true, "letter_template": true,
	"site_file": true, "delivery_option": true, "access_policy": true, "payment_method": true, "promotion": true,
}

// numbered is a pattern for the id of a table's row within a text.
type numbered struct {
	form  *regexp.Regexp // the last group is the id
	table string
}

// An address is at the beginning of a text, an attribute or a word.
const before = `(?i)((?:^|["'\s=>(,])`

var addresses = []numbered{
	{regexp.MustCompile(before + `svc:page/)([0-9]+)`), "category"},
	{regexp.MustCompile(before + `form:)([0-9]+)`), "form"},
	{regexp.MustCompile(before + `/_vitrine/form/)([0-9]+)`), "form"},
}

var attributes = []numbered{{regexp.MustCompile(`(?i)(\bsvc-(?:add-to-cart|fav)\s*=\s*["']?\s*)([0-9]+)`), "product"}}

var templates = []numbered{
	{regexp.MustCompile("(\\bproduct_url\\s+[\"`(]*)([0-9]+)"), "product"},
	{regexp.MustCompile("(\\bcategory_url\\s+[\"`(]*)([0-9]+)"), "category"},
	{regexp.MustCompile("(\\bfile_(?:url|path)\\s+[\"`(]*)([0-9]+)"), "site_file"},
	{regexp.MustCompile("([{(]\\s*[\"`]?)([0-9]+)[\"`]?\\s*\\)?\\s*\\|\\s*product_url\\b"), "product"},
	{regexp.MustCompile("([{(]\\s*[\"`]?)([0-9]+)[\"`]?\\s*\\)?\\s*\\|\\s*category_url\\b"), "category"},
	{regexp.MustCompile("([{(]\\s*[\"`]?)([0-9]+)[\"`]?\\s*\\)?\\s*\\|\\s*file_(?:url|path)\\b"), "site_file"},
}

// The key of an order line contains the id of its gift or variant, and so does the data sent
// by its page; the other bytes of that data are kept as they are.
var (
	lineKeys = []numbered{{regexp.MustCompile(`(^gift-)([0-9]+)$`), "promotion"}, {regexp.MustCompile(`(^v)([0-9]+)$`), "variant_set"}}
	lineData = []numbered{
		{regexp.MustCompile(`("variant_id"\s*:\s*"?)([0-9]+)`), "variant_set"}, {regexp.MustCompile(`("product_id"\s*:\s*"?)([0-9]+)`), "product"},
	}
)

// rewrites are text columns that contain ids in a special format.
var rewrites = map[string]func(IDs, string) string{
	"site_file.body":  IDs.template,
	"order_line.key":  func(m IDs, key string) string { return m.renumber(key, lineKeys) },
	"order_line.data": func(m IDs, data string) string { return m.renumber(data, lineData) },
}

// chosen is a product option of a template that lists slugs and ids of sections.
var chosen = regexp.MustCompile("([\"`](?:exclude_)?category=)([^\"`]*)")

// renumber replaces the ids at some places of a text.
func (m IDs) renumber(text string, places []numbered) string {
	for _, p := range places {
		var b strings.Builder
		end := 0
		for _, at := range p.form.FindAllStringSubmatchIndex(text, -1) {
			b.WriteString(text[end:at[4]])
			b.WriteString(m.fresh(p.table, text[at[4]:at[5]]))
			end = at[5]
		}
		if end > 0 {
			text = b.String() + text[end:]
		}
	}
	return text
}

// fresh is the new id of an old one, 0 if there is none.
func (m IDs) fresh(table, old string) string {
	id, err := strconv.ParseInt(old, 10, 64)
	if err != nil {
		return "0" // larger than any id
	}
	return strconv.FormatInt(m[table][id], 10)
}

// template replaces the ids in the body of a site file.
func (m IDs) template(body string) string {
	body = m.renumber(body, templates)
	return chosen.ReplaceAllStringFunc(body, func(option string) string {
		name, list, _ := strings.Cut(option, "=")
		sections := strings.Split(list, ",")
		for i, s := range sections {
			word := strings.TrimSpace(s)
			id, err := strconv.ParseInt(word, 10, 64)
			if to := m["category"][id]; err == nil && to != 0 { // else it is a slug
				sections[i] = strings.Replace(s, word, strconv.FormatInt(to, 10), 1)
			}
		}
		return name + "=" + strings.Join(sections, ",")
	})
}

// texts replaces the ids in all addresses within a value, at any depth.
func (m IDs) texts(value any) any {
	switch v := value.(type) {
	case string:
		return m.renumber(m.renumber(v, addresses), attributes)
	case []any:
		for i := range v {
			v[i] = m.texts(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = m.texts(v[name])
		}
	}
	return value
}
