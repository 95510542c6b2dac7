package edge

import (
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/compile/lead"
	"vitrine/edge/backend"
	"vitrine/internal/shop"
	"vitrine/render"
)

// formToken is a token for a form that is about to be shown, "" if none is available: the
// form works without it.
func (v *visit) formToken(id shop.FormID) string {
	if v.s.cfg.API == nil {
		return ""
	}
	token, refused, err := v.backend().FormToken(id)
	if err != nil || refused != nil {
		return ""
	}
	return token
}

// uploads are the results for the files of a post, by field.
type uploads map[string]upload

type upload struct {
	id, name string
	problem  render.Problem
	status   int // of a failure that is not the fault of the file
}

// uploadFile passes a file to the API. The page shows the result.
func (v *visit) uploadFile(f *render.Form, file *sentFile, all uploads) error {
	var at *lead.Field
	for i := range f.Fields {
		if f.Fields[i].Name == file.Field && f.Fields[i].Type == lead.File {
			at = &f.Fields[i].Field
		}
	}
	if at == nil || v.s.cfg.API == nil {
		return nil
	}
	stored, refused, err := v.backend().UploadFormFile(f.ID, file.Field, file.Name, file.Body)
	u := upload{id: stored.ID, name: stored.Name}
	switch {
	case file.TooLarge():
		u = upload{problem: render.Problem{Rule: lead.MaxSize}}
	case err != nil:
		u = upload{problem: render.Problem{Rule: lead.Type}, status: fasthttp.StatusServiceUnavailable}
	case refused != nil && refused.Status == fasthttp.StatusBadRequest && refused.Lead.Rule != "":
		u = upload{problem: render.Problem{Rule: refused.Lead.Rule, Limit: refused.Lead.Limit}}
	case refused != nil:
		u = upload{problem: render.Problem{Rule: lead.Type}, status: refused.Status}
	}
	all[file.Field] = u
	return nil
}

// apply writes the results of the files to the page. The status is 0 if they do not prevent
// the form from being sent.
func (all uploads) apply(page *render.FormPage) (status int) {
	for i := range page.Form.Fields {
		f := &page.Form.Fields[i]
		u, ok := all[f.Name]
		switch {
		case !ok:
			continue
		case u.id != "":
			f.Kept, f.Value = u.id, u.name
			continue
		case u.status == 0:
			f.Problem = u.problem
		}
		if u.status != 0 {
			status, page.State = leadStatus(u.status)
		} else if status == 0 {
			status, page.State = fasthttp.StatusBadRequest, render.FormRefused
		}
	}
	return status
}

// sendLead passes a filled form to the API, and marks a field that the API refuses. It
// returns the status of the response.
func (v *visit) sendLead(page *render.FormPage, sent url.Values) (int, render.FormState) {
	if v.s.cfg.API == nil {
		return fasthttp.StatusNotFound, render.FormFailed
	}
	l := leadOf(&page.Form, page.From)
	l.Token, l.Trap = page.Token, sent.Get(render.FormTrap)
	if v.byScript() {
		proof := sent.Get(render.FormProve)
		l.Proof = &proof
	}
	refused, err := v.backend().SendLead(l)
	switch {
	case err != nil:
		return leadStatus(fasthttp.StatusServiceUnavailable)
	case refused != nil:
		return refusedLead(page, refused)
	}
	return leadStatus(fasthttp.StatusOK)
}

func leadOf(f *render.Form, from string) backend.Lead {
	l := backend.Lead{Form: f.ID.String(), Values: map[string]string{}, Page: from, UTM: map[string]string{}}
	for _, field := range f.Fields {
		value := field.Value
		if field.Type == lead.File {
			value = field.Kept
		}
		if value != "" {
			l.Values[field.Name] = value
		}
	}
	_, query, _ := strings.Cut(from, "?")
	campaign, err := url.ParseQuery(query)
	if err != nil {
		return l // the query of a page may be malformed
	}
	for _, name := range [...]string{"source", "medium", "campaign", "term", "content", "id"} {
		if value := campaign.Get("utm_" + name); value != "" && len(value) <= 255 {
			l.UTM[name] = value
		}
	}
	return l
}

// refusedLead shows on the page why the API refuses a form.
func refusedLead(page *render.FormPage, r *backend.Refusal) (int, render.FormState) {
	refused := r.Lead
	if r.Status == fasthttp.StatusConflict && refused.Bits > 0 {
		page.Work = refused.Bits
		return r.Status, render.FormProof
	}
	for i := range page.Form.Fields {
		if f := &page.Form.Fields[i]; refused.Field != "" && f.Name == refused.Field {
			f.Problem = render.Problem{Rule: refused.Rule, Limit: refused.Limit}
			if f.Problem.Rule == "" {
				f.Problem.Rule = lead.Type
			}
			if f.Type == lead.File {
				f.Kept, f.Value = "", "" // the API has dropped the file
			}
		}
	}
	return leadStatus(r.Status)
}

// leadStatus maps a status of the API to the status of the response and the state of the
// form.
func leadStatus(status int) (int, render.FormState) {
	switch status {
	case fasthttp.StatusOK:
		return status, render.FormSent
	case fasthttp.StatusTooManyRequests:
		return status, render.FormBusy
	case fasthttp.StatusBadRequest:
		return status, render.FormRefused
	case fasthttp.StatusForbidden, fasthttp.StatusNotFound:
		return status, render.FormFailed
	}
	return fasthttp.StatusServiceUnavailable, render.FormFailed
}
