package letter

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"vitrine/compile/feed"
	"vitrine/internal/shop"
	letterdb "vitrine/internal/store/letter"
)

//go:embed templates layout.html
var files embed.FS

var layout = template.Must(template.ParseFS(files, "layout.html"))

// Words are the parts of a letter, or of its template.
type Words struct {
	Subject string `json:"subject"`
	Text    string `json:"text"`
	HTML    string `json:"html"`
}

// Limits of the template and the output of a letter.
const (
	maxSubject    = 1000    // bytes of the template
	maxBody       = 60_000  // bytes of each body template
	maxLine       = 8 << 10 // bytes of a rendered subject; the mail server gets less
	maxOutput     = 4 << 20 // an order has 300 lines
	maxSteps      = 200_000
	renderTimeout = 2 * time.Second
)

// defaultTemplates returns the platform's templates by language and name, and the partials that all
// templates may call, by language and kind.
var defaultTemplates = sync.OnceValue(func() map[string]Words {
	all := map[string]Words{}
	for _, lang := range []string{"en", "ru"} {
		for _, name := range letterdb.Names {
			all[lang+"/"+name] = splitTemplate(read(lang + "/" + name + ".txt"))
		}
		all[lang] = Words{Text: read(lang + "/parts.text"), HTML: read(lang + "/parts.html")}
	}
	return all
})

func read(name string) string {
	text, err := files.ReadFile("templates/" + name)
	if err != nil {
		panic(err) // the file is embedded
	}
	return string(text)
}

// splitTemplate splits a template file into the subject, the text and the page, which are separated
// by two marks.
func splitTemplate(file string) (w Words) {
	subject, rest, _ := strings.Cut(file, "\n--- text\n")
	text, html, _ := strings.Cut(rest, "\n--- html\n")
	return Words{subject, text, html}
}

// render renders a template for an object, in the language of the shop. A returned problem is the
// author's fault; it contains the part and the line.
func (ls *Letters) render(ctx context.Context, s *shopContext, in Words, about feed.Record) (out Words, problem *shop.Refusal, err error) {
	c := feed.NewCatalogue(feed.Contents{Shop: feed.Shop{Name: s.info.Name, URL: s.origin, Currency: s.info.Currency}, Timezone: s.info.Timezone})
	if strings.Contains(in.Subject+in.Text+in.HTML, "products") || strings.Contains(in.Text+in.HTML, "_url") || strings.Contains(in.Text+in.HTML, "categories") {
		cached, err := ls.Catalogues.Current(ctx, ls.Store, s.info.ID)
		if err != nil {
			return out, nil, err
		}
		c = cached.Catalogue
	}
	parts := defaultTemplates()[s.lang]
	ctx, cancel := context.WithTimeout(ctx, renderTimeout)
	defer cancel()
	for _, part := range []struct {
		name, file, body, more string
		most                   int
		to                     *string
	}{
		{"subject", "subject.txt", in.Subject, "", maxLine, &out.Subject},
		{"text", "letter.txt", in.Text, parts.Text, maxOutput, &out.Text},
		{"html", "letter.html", in.HTML, parts.HTML, maxOutput, &out.HTML},
	} {
		template, problems := feed.Compile(part.file, part.body+"\n"+withoutRedefined(part.more, part.body))
		if template == nil {
			return out, errTemplate.At(part.name).With(fmt.Sprintf("line %d: %s", problems[0].Line, problems[0].Message)), nil
		}
		var b bytes.Buffer
		result, failed := template.Render(&b, c, feed.Options{About: about, Bytes: part.most, Steps: maxSteps, Now: ls.Now().UTC(), Stop: ctx.Err})
		if failed == nil && part.name == "html" {
			failed = result.Broken
		}
		if failed != nil {
			return out, errTemplate.At(part.name).With(fmt.Sprintf("line %d: %s", failed.Line, failed.Message)), nil
		}
		*part.to = strings.TrimSpace(b.String())
	}
	out.Subject = strings.Join(strings.Fields(out.Subject), " ")
	out.Text = emptyLines.ReplaceAllString(out.Text, "\n\n") + "\n"
	switch {
	case out.Subject == "":
		return out, errTemplate.At("subject").With("it is empty"), nil
	case strings.TrimSpace(out.Text) == "":
		return out, errTemplate.At("text").With("it is empty"), nil
	}
	out.HTML, err = s.applyLayout(out)
	return out, nil, err
}

var (
	emptyLines = regexp.MustCompile(`\n\s*\n\s*\n`)
	defines    = regexp.MustCompile(`\{\{-?\s*define\s+"(\w+)"`)
)

// withoutRedefined removes the partials that an author's template redefines.
func withoutRedefined(parts, body string) string {
	var own []string
	for _, m := range defines.FindAllStringSubmatch(body, -1) {
		own = append(own, m[1])
	}
	if len(own) == 0 {
		return parts
	}
	var kept strings.Builder
	for i, part := range strings.SplitAfter(parts, "{{define ") {
		if i == 0 {
			continue
		}
		name := strings.SplitN(part, `"`, 3)
		if len(name) == 3 && !slices.Contains(own, name[1]) {
			kept.WriteString("{{define " + strings.TrimSuffix(part, "{{define "))
		}
	}
	return kept.String()
}

// page is the data of the layout around a letter.
type page struct {
	Lang, Title, Shop, URL, Logo string
	Body                         template.HTML
	Contacts                     []string
	Legal                        string
}

// applyLayout puts the page of a letter into the layout and adds inline styles to bare tags,
// because mail clients support styles only on the tags. A whole document stays unchanged.
func (s *shopContext) applyLayout(w Words) (string, error) {
	if w.HTML == "" {
		return "", nil
	}
	if start := strings.ToLower(w.HTML[:min(len(w.HTML), 15)]); strings.HasPrefix(start, "<!doctype") || strings.HasPrefix(start, "<html") {
		return w.HTML, nil
	}
	p := page{Lang: s.lang, Title: w.Subject, Shop: s.info.Name, URL: s.origin, Logo: s.logo, Body: template.HTML(inlineStyles.Replace(w.HTML)), Legal: s.settings.Legal.Name} //nolint:gosec // rendered by the escaping language
	for _, line := range []string{s.settings.Contacts.Phone, s.settings.Contacts.Email, s.settings.Contacts.Address} {
		if line != "" {
			p.Contacts = append(p.Contacts, line)
		}
	}
	var b bytes.Buffer
	err := layout.Execute(&b, p)
	return b.String(), err
}

// plainPage renders a plain-text letter of the platform as a page.
func plainPage(subject, text string) (string, error) {
	var body strings.Builder
	for part := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		said := template.HTMLEscapeString(strings.TrimSpace(part))
		switch {
		case strings.HasPrefix(part, "    ") && strings.HasPrefix(said, "http"):
			body.WriteString(`<p><a href="` + said + `">` + said + "</a></p>\n")
		case strings.HasPrefix(part, "    "):
			body.WriteString(`<p class="code">` + said + "</p>\n")
		default:
			body.WriteString("<p>" + said + "</p>\n")
		}
	}
	var b bytes.Buffer
	err := layout.Execute(&b, page{Lang: "en", Title: subject, Body: template.HTML(inlineStyles.Replace(body.String()))}) //nolint:gosec // escaped above
	return b.String(), err
}

// inlineStyles are the inline styles of bare tags. The classes are for dark mode.
var inlineStyles = strings.NewReplacer(
	`<h1>`, `<h1 class="ink" style="margin:0 0 16px;font-size:24px;line-height:1.25;font-weight:700;color:#221c17">`,
	`<h2>`, `<h2 class="ink" style="margin:24px 0 8px;font-size:18px;line-height:1.3;font-weight:700;color:#221c17">`,
	`<p>`, `<p class="ink" style="margin:0 0 16px;font-size:16px;line-height:1.5;color:#221c17">`,
	`<p class="small">`, `<p class="dim" style="margin:0 0 12px;font-size:14px;line-height:1.5;color:#6b6056">`,
	`<p class="code">`, `<p class="ink tint" style="margin:0 0 16px;padding:14px 18px;border-radius:8px;background:#f6efe7;font:700 20px/1.3 Menlo,Consolas,monospace;letter-spacing:1px;color:#221c17;overflow-wrap:anywhere">`,
	`<span class="small">`, `<span class="dim" style="font-size:14px;color:#6b6056">`,
	`<a class="button" `, `<a class="button" style="display:inline-block;padding:13px 24px;border-radius:999px;background:#9c4527;color:#ffffff;font-size:16px;font-weight:600;line-height:1.25;text-decoration:none" `,
	`<a class="plain" `, `<a class="ink" style="color:#221c17;text-decoration:none" `,
	`<a href=`, `<a class="link" style="color:#9c4527" href=`,
	`<blockquote>`, `<blockquote class="ink tint" style="margin:0 0 16px;padding:12px 18px;border-left:4px solid #9c4527;background:#f6efe7;font-size:16px;line-height:1.5;color:#221c17;white-space:pre-wrap;overflow-wrap:anywhere">`,
	`<table class="lines" `, `<table class="lines" style="margin:0 0 16px;border-collapse:collapse" `,
	`<td>`, `<td class="line ink" style="padding:10px 0;border-top:1px solid #e6dccf;font-size:16px;line-height:1.4;color:#221c17;vertical-align:top;overflow-wrap:anywhere">`,
	`<td colspan="2">`, `<td class="line ink" colspan="2" style="padding:10px 0;border-top:1px solid #e6dccf;font-size:16px;line-height:1.4;color:#221c17">`,
	`<td class="thumb" `, `<td class="line" style="padding:10px 0;border-top:1px solid #e6dccf;vertical-align:top" `,
	`<td class="sum" `, `<td class="line ink" style="padding:10px 0 10px 12px;border-top:1px solid #e6dccf;font-size:16px;line-height:1.4;color:#221c17;white-space:nowrap;vertical-align:top" `,
	`<img class="thumb" `, `<img style="display:block;width:56px;height:56px;border-radius:8px;object-fit:cover;background:#f6efe7" `,
)
