package zone

import (
	"github.com/valyala/fasthttp"

	"vitrine/edge/backend"
	"vitrine/render"
)

// showLink shows what an assistant asks the customer for. Others sign in first and come back.
func (v *Visit) showLink() (Answer, error) { return v.linkPage(nil, false) }

func (v *Visit) linkPage(refused *backend.Refusal, codeSent bool) (Answer, error) {
	who, err := v.Backend.Customer()
	if err != nil {
		return Answer{}, err
	}
	request := v.Query.Encode()
	if who == nil {
		return Answer{Body: &render.Account{Next: local("/account/link?"+request, "")}}, nil
	}
	asked, denied, err := v.Backend.LinkRequest(v.Query)
	switch {
	case err != nil:
		return Answer{}, err
	case denied != nil && denied.Status == fasthttp.StatusNotFound:
		return missing()
	case asked.Back != "":
		return Answer{External: asked.Back}, nil
	case denied != nil:
		refused = denied
	}
	body := asked.Link
	body.Request, body.Email, body.Sent, body.Trouble = request, who.Email, codeSent, trouble(refused, "")
	return page(&body, refused)
}

// takeLink takes the decision of the customer.
func (v *Visit) takeLink() (Answer, error) {
	do := v.sent("do")
	if do != "allow" && do != "deny" {
		refused, err := v.sendOwnCode()
		if err != nil {
			return Answer{}, err
		}
		return v.linkPage(refused, refused == nil)
	}
	back, refused, err := v.Backend.DecideLink(backend.LinkDecision{Consent: v.sent("consent"), Allow: do == "allow", Proof: v.proof()})
	switch {
	case err != nil:
		return Answer{}, err
	case refused != nil:
		return v.linkPage(refused, false)
	}
	return Answer{External: back}, nil
}

func (v *Visit) unlink() (*backend.Refusal, error) { return v.Backend.Unlink(v.sent("id")) }
