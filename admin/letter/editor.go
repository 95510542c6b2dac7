package letter

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/compile/feed"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	letterdb "vitrine/internal/store/letter"
)

// headView is the template of a letter without its bodies.
type headView struct {
	Name      string    `json:"name"`
	Subject   string    `json:"subject"`
	IsChanged bool      `json:"is_changed" doc:"the shop has its own template"`
	Error     string    `json:"error" doc:"why a letter was rendered with the platform's template instead"`
	UpdatedAt time.Time `json:"updated_at" doc:"1970 for the platform's template"`
}

// templateView is the template of a letter.
type templateView struct {
	headView
	Text   string      `json:"text"`
	HTML   string      `json:"html"`
	Fields []fieldView `json:"fields" doc:"the data that the template can use"`
}

func viewHead(t letterdb.Template) headView {
	return headView{t.Name, t.Subject, t.UpdatedAt != platformTime, t.Error, t.UpdatedAt.UTC()}
}

// own returns the template of a letter that the shop uses: its own or the platform's.
func (s *shopContext) own(t letterdb.Template, found bool, name string) letterdb.Template {
	if found {
		return t
	}
	w := defaultTemplates()[s.lang+"/"+name]
	return letterdb.Template{Name: name, Subject: w.Subject, Text: w.Text, HTML: w.HTML, UpdatedAt: platformTime}
}

func (s *shopContext) viewTemplate(t letterdb.Template) templateView {
	return templateView{viewHead(t), t.Text, t.HTML, fields(s.sample(t.Name), ".")}
}

// fieldView is a piece of data that a template can use.
type fieldView struct {
	Name    string `json:"name" doc:"such as .Order.Number; of the entries of a list .Order.Lines[].Name"`
	Example string `json:"example"`
}

// fields lists the data of a record.
func fields(r feed.Record, prefix string) (list []fieldView) {
	for _, name := range slices.Sorted(maps.Keys(r)) {
		at := prefix + name
		switch v := r[name].(type) {
		case feed.Record:
			list = append(list, fields(v, at+".")...)
		case []feed.Record:
			if len(v) > 0 {
				list = append(list, fields(v[0], at+"[].")...)
			}
		case []string:
			list = append(list, fieldView{at + "[]", strings.Join(v, ", ")})
		default:
			list = append(list, fieldView{at, fmt.Sprint(v)})
		}
	}
	return list
}

type nameRequest struct {
	Name string `path:"name" json:"-"`
}

func known(name string) error {
	if !slices.Contains(letterdb.Names, name) {
		return errName
	}
	return nil
}

// template returns the template of a letter.
func (ls *Letters) template(ctx context.Context, c *api.Call, in nameRequest) (out api.Result[templateView], err error) {
	if err := known(in.Name); err != nil {
		return out, err
	}
	s, err := ls.shopContextOf(ctx, c.Company)
	if err != nil {
		return out, err
	}
	t, found, err := letterdb.GetTemplate(ctx, ls.Store.Shop(c.Company), in.Name)
	return api.Wrap(s.viewTemplate(s.own(t, found, in.Name))), err
}

// templates lists the templates of all letters.
func (ls *Letters) templates(ctx context.Context, c *api.Call, _ api.None) (out api.Result[[]headView], err error) {
	s, err := ls.shopContextOf(ctx, c.Company)
	if err != nil {
		return out, err
	}
	changed, err := letterdb.Templates(ctx, ls.Store.Shop(c.Company))
	list := make([]headView, len(letterdb.Names))
	for i, name := range letterdb.Names {
		t, found := changed[name]
		list[i] = viewHead(s.own(t, found, name))
	}
	return api.Wrap(list), err
}

// platformTime is the version of a template that the shop has not changed.
var platformTime = time.Unix(0, 0).UTC()

type wordsRequest struct {
	nameRequest
	Subject *string `json:"subject" len:"body"`
	Text    *string `json:"text" len:"body"`
	HTML    *string `json:"html" len:"body" doc:"the content of the letter's page, or a whole document that begins with <!doctype html>"`
}

// mergeTemplate returns the current template with the sent parts replaced, and the shop data to
// render it with.
func (ls *Letters) mergeTemplate(ctx context.Context, c *api.Call, in wordsRequest) (w Words, s shopContext, err error) {
	now, err := ls.template(ctx, c, in.nameRequest)
	if err != nil {
		return w, s, err
	}
	w = Words{now.Result.Subject, now.Result.Text, now.Result.HTML}
	for _, part := range []struct {
		name string
		sent *string
		most int
		to   *string
	}{{"subject", in.Subject, maxSubject, &w.Subject}, {"text", in.Text, maxBody, &w.Text}, {"html", in.HTML, maxBody, &w.HTML}} {
		if part.sent == nil {
			continue
		}
		if *part.to = *part.sent; len(*part.sent) > part.most {
			return w, s, errTemplate.At(part.name).With(fmt.Sprintf("at most %d bytes", part.most))
		}
	}
	s, err = ls.shopContextOf(ctx, c.Company)
	return w, s, err
}

type changeRequest struct {
	wordsRequest
	api.Basis
}

// change saves the template of a letter, if it renders without an error.
func (ls *Letters) change(ctx context.Context, c *api.Call, in changeRequest) (out api.Result[templateView], err error) {
	w, s, err := ls.mergeTemplate(ctx, c, in.wordsRequest)
	if err != nil {
		return out, err
	}
	if _, problem, err := ls.render(ctx, &s, w, s.sample(in.Name)); err != nil {
		return out, err
	} else if problem != nil {
		return out, problem
	}
	saved := letterdb.Template{Name: in.Name, Subject: w.Subject, Text: w.Text, HTML: w.HTML}
	err = ls.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if _, err := companydb.LockSettings(ctx, tx); err != nil { // the template may not have a row yet
			return err
		}
		before, found, err := letterdb.GetTemplate(ctx, tx.Reader, in.Name)
		if err != nil {
			return err
		}
		if !found {
			before.UpdatedAt = platformTime
		}
		if err := tx.CheckBasis(before.UpdatedAt); err != nil {
			return err
		}
		return letterdb.SaveTemplate(ctx, tx, &saved)
	})
	return api.Wrap(s.viewTemplate(saved)), err
}

// reset restores the platform's template.
func (ls *Letters) reset(ctx context.Context, c *api.Call, in nameRequest) (out api.Result[templateView], err error) {
	if err := known(in.Name); err != nil {
		return out, err
	}
	if err := ls.Store.Write(ctx, c.Company, func(tx *store.Tx) error { return letterdb.DropTemplate(ctx, tx, in.Name) }); err != nil {
		return out, err
	}
	return ls.template(ctx, c, in)
}

// preview renders a template for the newest object that such a letter was written about, or for
// sample data if there is none.
func (ls *Letters) preview(ctx context.Context, c *api.Call, in wordsRequest) (out api.Result[Words], err error) {
	w, s, err := ls.mergeTemplate(ctx, c, in)
	if err != nil {
		return out, err
	}
	about := s.sample(in.Name)
	l, found, err := letterdb.Newest(ctx, ls.Store.Shop(c.Company), in.Name)
	if err != nil {
		return out, err
	}
	if found {
		if real, err := ls.about(ctx, &s, l); err == nil {
			about = real
		} else if !isGone(err) {
			return out, err
		}
	}
	words, problem, err := ls.render(ctx, &s, w, about)
	if problem != nil {
		err = problem
	}
	return api.Wrap(words), err
}
