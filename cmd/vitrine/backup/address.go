package backup

import (
	"regexp"
	"strconv"
	"strings"
)

// Owners write ids into texts too: as addresses (svc:page/12, form:3), in the
// attributes of html documents (svc-add-to-cart="7") and in the templates of site
// files ({{product_url 7}}). Each of them is written anew with the id that the
// thing has here, and with 0 where the backup does not contain the thing, so that
// nothing of a copy leads to what has that number by chance.

// owned are the tables whose texts the people of a shop write. What visitors
// wrote (messages, reviews, leads) stays as they wrote it.
var owned = map[string]bool{
	"category": true, "product": true, "product_group": true, "article": true, "content_block": true, "gallery": true, "gallery_item": true,
	"variant_set": true, "document": true, "release": true, "form": true, "redirect_rule": true, "redirect_version": true, "letter_template": true,
	"site_file": true, "delivery_option": true, "access_policy": true, "payment_method": true, "promotion": true,
}

// numbered is a place in a text where the id of a row of a table stands.
type numbered struct {
	form  *regexp.Regexp // the last group is the id
	table string
}

// An address begins a text, an attribute or a word.
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

// The line of an order names by its key which gift or variant it is, and in the data
// that its page sent, whose bytes are kept otherwise.
var (
	lineKeys = []numbered{{regexp.MustCompile(`(^gift-)([0-9]+)$`), "promotion"}, {regexp.MustCompile(`(^v)([0-9]+)$`), "variant_set"}}
	lineData = []numbered{
		{regexp.MustCompile(`("variant_id"\s*:\s*"?)([0-9]+)`), "variant_set"}, {regexp.MustCompile(`("product_id"\s*:\s*"?)([0-9]+)`), "product"},
	}
)

// rewrites are columns of text with ids in a form of their own.
var rewrites = map[string]func(ids, string) string{
	"site_file.body":  ids.template,
	"order_line.key":  func(m ids, key string) string { return m.renumber(key, lineKeys) },
	"order_line.data": func(m ids, data string) string { return m.renumber(data, lineData) },
}

// chosen is an option of products in a template that lists slugs and ids of sections.
var chosen = regexp.MustCompile("([\"`](?:exclude_)?category=)([^\"`]*)")

// renumber writes the ids of some places anew.
func (m ids) renumber(text string, places []numbered) string {
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

// fresh is the new id of an old one, 0 where there is none.
func (m ids) fresh(table, old string) string {
	id, err := strconv.ParseInt(old, 10, 64)
	if err != nil {
		return "0" // larger than any id
	}
	return strconv.FormatInt(m[table][id], 10)
}

// template writes the ids in the body of a site file anew.
func (m ids) template(body string) string {
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

// texts writes the addresses in the texts of a value anew, however deep they are.
func (m ids) texts(value any) any {
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
