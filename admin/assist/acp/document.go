package acp

import (
	"context"
	"reflect"
	"strings"
	"sync"

	"vitrine/admin/api"
	"vitrine/admin/openapi"
	"vitrine/internal/shop"
)

const (
	documentText = "The Agentic Commerce Protocol, version " + Version + ", as this shop speaks it. Send the token that the shop gave you as Authorization: Bearer. " +
		"Amounts are in minor units of the currency (ISO 4217). A repeated Idempotency-Key answers as before, with Idempotent-Replayed: true."
	publicCache = "public, max-age=300"
)

// document answers the OpenAPI document of the operations. It is the same for all shops that
// sell through assistants.
func (a *ACP) document(ctx context.Context, c *api.Call) (api.Response, error) {
	if err := c.CountForNetworkAs(api.Read); err != nil {
		return refused(c, err)
	}
	if err := a.open(ctx, &request{call: c}); err != nil {
		return refused(c, err)
	}
	text, err := openAPI()
	return api.Response{Status: 200, ContentType: jsonType, Body: text, Header: map[string]string{"Cache-Control": publicCache}}, err
}

var openAPI = sync.OnceValues(func() ([]byte, error) {
	var list []openapi.Operation
	for _, op := range operations {
		o := openapi.Operation{
			Method: op.Method, Path: op.Path, ID: op.ID, Summary: op.Summary, In: op.In, Status: op.Status,
			Headers: []openapi.Header{{Name: versionHeader, Required: true, Description: Version}},
			Out:     []reflect.Type{reflect.TypeFor[session]()}, Error: []reflect.Type{reflect.TypeFor[fault]()},
		}
		if op.Method == "POST" {
			o.Headers = append(o.Headers, openapi.Header{Name: keyHeader, Required: true, Description: "1 to 255 printable characters"})
		}
		list = append(list, o)
	}
	return openapi.Protocol("Agentic Commerce Protocol", documentText, public, list)
})

// announced is what a shop offers, for everybody.
type announced struct {
	Protocol struct {
		Name      string   `json:"name"`
		Version   string   `json:"version"`
		Supported []string `json:"supported_versions"`
		Docs      string   `json:"documentation_url"`
	} `json:"protocol"`
	BaseURL      string   `json:"api_base_url"`
	Transports   []string `json:"transports"`
	Capabilities struct {
		Services   []string        `json:"services"`
		Extensions []extensionSpec `json:"extensions"`
		Currencies []string        `json:"supported_currencies"`
	} `json:"capabilities"`
}

type extensionSpec struct {
	Name string `json:"name"`
}

// discover answers /.well-known/acp.json.
func (a *ACP) discover(ctx context.Context, c *api.Call) (api.Response, error) {
	if err := c.CountForNetworkAs(api.Read); err != nil {
		return refused(c, err)
	}
	r := &request{call: c}
	if err := a.open(ctx, r); err != nil {
		return refused(c, err)
	}
	var d announced
	origin := r.shop.Site.Shop().Origin
	d.Protocol.Name, d.Protocol.Version, d.Protocol.Supported, d.Protocol.Docs = "acp", Version, []string{Version}, origin+public+"/openapi.json"
	d.BaseURL, d.Transports = origin+public, []string{"rest"}
	d.Capabilities.Services, d.Capabilities.Extensions = []string{string(shop.AssistantsCheckout), "orders"}, []extensionSpec{{discountExtension}}
	d.Capabilities.Currencies = []string{strings.ToLower(r.shop.Company.Currency)}
	out, err := answered(200, d)
	out.Header["Cache-Control"] = publicCache
	return out, err
}
