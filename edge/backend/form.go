package backend

import (
	"io"
	"net/url"

	"github.com/valyala/fasthttp"

	"vitrine/compile/lead"
	"vitrine/internal/shop"
)

// Calls of forms have no session: a lead belongs to the shop, not to a buyer.

// Lead is a filled form.
type Lead struct {
	Form   string            `json:"form_id"`
	Values map[string]string `json:"values"` // for a file, its upload id
	Page   string            `json:"page_url"`
	UTM    map[string]string `json:"utm"`
	Token  string            `json:"token"`
	Proof  *string           `json:"proof"` // nil: the client cannot compute one
	Trap   string            `json:"trap"`
}

// LeadTrouble is why the API rejects a lead or a file.
type LeadTrouble struct {
	Field string
	Rule  lead.Rule
	Limit string
	Bits  int // of the proof of work that it wants; 0: none
}

// SendLead sends a filled form.
func (v *Visitor) SendLead(l Lead) (*Refusal, error) {
	return v.call(request{method: fasthttp.MethodPost, path: "/form-leads", in: l, anonymous: true}, nil)
}

// FormToken returns a token for a form that is about to be shown.
func (v *Visitor) FormToken(id shop.FormID) (string, *Refusal, error) {
	got, refused, err := send[struct{ Token string }](v, request{method: fasthttp.MethodGet, path: path("/forms", id.String(), "token"), anonymous: true})
	return got.Token, refused, err
}

// FormFile is a file that the API has stored for a form.
type FormFile struct{ ID, Name string }

// UploadFormFile uploads the file of a field while it arrives.
func (v *Visitor) UploadFormFile(form shop.FormID, field, name string, body io.Reader) (FormFile, *Refusal, error) {
	query := url.Values{"form_id": {form.String()}, "field": {field}, "name": {name}}
	return send[FormFile](v, request{method: fasthttp.MethodPost, path: "/form-files?" + query.Encode(), stream: body, anonymous: true})
}
