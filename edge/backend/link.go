package backend

import (
	"net/url"

	"github.com/valyala/fasthttp"

	"vitrine/render"
)

// LinkRequest is what an assistant asks a customer for.
type LinkRequest struct {
	Back string `json:"back"` // the address of the assistant to which a refused request is sent; empty: none
	render.Link
}

// LinkRequest checks the request of an assistant in the query of a page.
func (v *Visitor) LinkRequest(query url.Values) (LinkRequest, *Refusal, error) {
	return get[LinkRequest](v, "/inside/link?"+query.Encode())
}

// LinkDecision is the decision of the customer about a request.
type LinkDecision struct {
	Consent string `json:"consent"` // as LinkRequest returned it
	Allow   bool   `json:"allow"`
	Proof
}

// DecideLink takes the decision and returns the address of the assistant.
func (v *Visitor) DecideLink(d LinkDecision) (back string, refused *Refusal, err error) {
	out, refused, err := send[struct {
		Back string `json:"back"`
	}](v, request{method: fasthttp.MethodPost, path: "/inside/link", in: d})
	return out.Back, refused, err
}

// Links are the assistants that the customer has linked.
func (v *Visitor) Links() ([]render.LinkedAssistant, error) {
	list, _, err := get[[]render.LinkedAssistant](v, "/inside/links")
	return list, err
}

// Unlink ends a link.
func (v *Visitor) Unlink(id string) (*Refusal, error) {
	return v.call(request{method: fasthttp.MethodDelete, path: path("/inside/links", id)}, nil)
}
