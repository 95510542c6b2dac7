package edge

import (
	"bytes"
	"encoding/json"
	"io"
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/compile/lead"
	"vitrine/internal/origin"
	"vitrine/internal/shop"
	"vitrine/render"
)

// Paths of the API for forms.
const (
	leadPath     = "/form-leads"
	formFilePath = "/form-files"
)

// sentLead is the request body of form-leads.
type sentLead struct {
	Form   string            `json:"form_id"`
	Values map[string]string `json:"values"` // for a file, its upload id
	Page   string            `json:"page_url"`
	UTM    map[string]string `json:"utm"`
	Token  string            `json:"token"`
	Proof  *string           `json:"proof"` // nil: the client cannot compute one
	Trap   string            `json:"trap"`
}

// leadRefusal is why the API rejects a lead or a file.
type leadRefusal struct {
	Field string
	Rule  lead.Rule
	Limit string
	Bits  int
}

// callAPI calls the API without a session. It passes on only the fields of the visitor's
// request that tell its origin: the API refuses pages of other sites and clients that send
// too much.
func (v *visit) callAPI(method, uri, kind string, body io.Reader, size int) *fasthttp.Response {
	var call fasthttp.RequestCtx
	call.Init(&fasthttp.Request{}, v.client().Socket(), nil)
	to, ours := &call.Request.Header, &v.ctx.Request.Header
	to.SetMethod(method)
	to.SetHostBytes(ours.Host())
	for _, name := range [...]string{fasthttp.HeaderOrigin, "Sec-Fetch-Site"} {
		if value := ours.Peek(name); len(value) > 0 {
			to.SetBytesV(name, value)
		}
	}
	call.Request.SetRequestURI(uri)
	if body != nil {
		to.SetContentType(kind)
		call.Request.SetBodyStream(body, size)
	}
	origin.Mark(&call, v.storefront())
	v.s.cfg.API(&call)
	return &call.Response
}

// formToken is a token for a form that is about to be shown, "" if none is available: the
// form works without it.
func (v *visit) formToken(id shop.FormID) string {
	if v.s.cfg.API == nil {
		return ""
	}
	var got struct {
		Result struct{ Token string }
	}
	r := v.callAPI(fasthttp.MethodGet, "/forms/"+id.String()+"/token", "", nil, 0)
	if r.StatusCode() != fasthttp.StatusOK || json.Unmarshal(r.Body(), &got) != nil {
		return ""
	}
	return got.Result.Token
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
	query := url.Values{"form_id": {f.ID.String()}, "field": {file.Field}, "name": {file.Name}}
	r := v.callAPI(fasthttp.MethodPost, formFilePath+"?"+query.Encode(), "application/octet-stream", file.Body, -1)
	all[file.Field] = uploaded(at, file, r)
	return nil
}

// uploaded reads the API's response to a file.
func uploaded(f *lead.Field, file *sentFile, r *fasthttp.Response) (u upload) {
	var got struct {
		Result struct{ ID, Name string }
		leadRefusal
	}
	readable := json.Unmarshal(r.Body(), &got) == nil
	switch status := r.StatusCode(); {
	case file.TooLarge():
		u.problem.Rule = lead.MaxSize
	case status == fasthttp.StatusOK && readable:
		u.id, u.name = got.Result.ID, got.Result.Name
	case status == fasthttp.StatusBadRequest && readable && got.Rule != "":
		u.problem = render.Problem{Rule: got.Rule, Limit: got.Limit}
	default:
		u.status, u.problem.Rule = status, lead.Type
	}
	return u
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
	body, err := json.Marshal(l)
	if err != nil {
		return v.outage(err), render.FormFailed
	}
	r := v.callAPI(fasthttp.MethodPost, leadPath, "application/json", bytes.NewReader(body), len(body))
	return leadAnswer(page, r)
}

func leadOf(f *render.Form, from string) sentLead {
	l := sentLead{Form: f.ID.String(), Values: map[string]string{}, Page: from, UTM: map[string]string{}}
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

// leadAnswer reads the API's response.
func leadAnswer(page *render.FormPage, r *fasthttp.Response) (int, render.FormState) {
	var refused leadRefusal
	status := r.StatusCode()
	if status >= fasthttp.StatusBadRequest && json.Unmarshal(r.Body(), &refused) != nil {
		refused = leadRefusal{}
	}
	if status == fasthttp.StatusConflict && refused.Bits > 0 {
		page.Work = refused.Bits
		return status, render.FormProof
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
	return leadStatus(status)
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
