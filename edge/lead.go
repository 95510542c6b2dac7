package edge

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/internal/through"
	"vitrine/render"
)

// leadPath is where the API takes filled forms.
const leadPath = "/form-leads"

// lead is what the API takes.
type lead struct {
	Form   string            `json:"form_id"`
	Values map[string]string `json:"values"`
	Page   string            `json:"page_url"`
	UTM    map[string]string `json:"utm"`
}

// sendLead hands a filled form to the API as nobody, with no more of the
// visitor's request than says where it comes from: pages of other sites and who
// sends too much are refused there. A field that the API refuses is marked. The status is what to
// answer.
func (v *visit) sendLead(f *render.Form, from string) (int, render.FormState) {
	if v.s.cfg.API == nil {
		return fasthttp.StatusNotFound, render.FormFailed
	}
	body, err := json.Marshal(leadOf(f, from))
	if err != nil {
		return v.outage(err), render.FormFailed
	}
	var call fasthttp.RequestCtx
	call.Init(&fasthttp.Request{}, v.client().Socket(), nil)
	to, ours := &call.Request.Header, &v.ctx.Request.Header
	to.SetMethod(fasthttp.MethodPost)
	to.SetContentType("application/json")
	to.SetHostBytes(ours.Host())
	for _, name := range [...]string{fasthttp.HeaderOrigin, "Sec-Fetch-Site"} {
		if value := ours.Peek(name); len(value) > 0 {
			to.SetBytesV(name, value)
		}
	}
	call.Request.SetRequestURI(leadPath)
	call.Request.SetBody(body)
	to.SetContentLength(len(body))
	through.Mark(&call, v.storefront())
	v.s.cfg.API(&call)
	return leadAnswer(f, &call.Response)
}

func leadOf(f *render.Form, from string) lead {
	l := lead{Form: f.ID.String(), Values: map[string]string{}, Page: from, UTM: map[string]string{}}
	for _, field := range f.Fields {
		if field.Value != "" {
			l.Values[field.Name] = field.Value
		}
	}
	_, query, _ := strings.Cut(from, "?")
	campaign, err := url.ParseQuery(query)
	if err != nil {
		return l // the address of a page need not have a query that we can read
	}
	for _, name := range [...]string{"source", "medium", "campaign", "term", "content", "id"} {
		if value := campaign.Get("utm_" + name); value != "" && len(value) <= 255 {
			l.UTM[name] = value
		}
	}
	return l
}

// leadAnswer reads what the API said.
func leadAnswer(f *render.Form, r *fasthttp.Response) (int, render.FormState) {
	switch status := r.StatusCode(); status {
	case fasthttp.StatusOK:
		return status, render.FormSent
	case fasthttp.StatusTooManyRequests:
		return status, render.FormBusy
	case fasthttp.StatusBadRequest:
		var refused struct{ Field string }
		if json.Unmarshal(r.Body(), &refused) == nil {
			for i := range f.Fields {
				f.Fields[i].Invalid = f.Fields[i].Name == refused.Field
			}
		}
		return status, render.FormRefused
	case fasthttp.StatusForbidden, fasthttp.StatusNotFound:
		return status, render.FormFailed
	}
	return fasthttp.StatusServiceUnavailable, render.FormFailed
}
