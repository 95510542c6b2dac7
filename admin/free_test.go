package admin_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
)

// free are the places of the document that hold any JSON, with the reason.
var free = map[string]string{
	"AccessPageView.result": "a view of the cabinet, which only its pages read", "PUT /v1/account/views/{page}": "the same",
	"AccessPasskeyOptions.publicKey.*": "WebAuthn defines it", "AccessPasskeyResponseInput.clientExtensionResults.*": "the same",
	"POST /v1/auth/passkeys/login/finish.clientExtensionResults.*": "the same", "POST /v1/auth/passkeys/register/finish.clientExtensionResults.*": "the same",
	"ApiChange.after": "the value of any field", "ApiChange.before": "the same", "SiteEditView.new.*": "the same", "SiteEditView.old.*": "the same",
	"StoreDraftConflict.base": "the value of any field", "StoreDraftConflict.draft": "the same", "StoreDraftConflict.live": "the same",
	"StoreDraftField.draft": "the same", "StoreDraftField.live": "the same",
	"CartItemInput.data": "what the shop's own page keeps with a line", "CartLineView.data.*": "the same", "OrderLineView.data.*": "the same",
	"OrderManualItemInput.data.*": "the same", "POST /cart/items/{product_id}/{key}.data.*": "the same",
	"POST /cart/merge.items[]":    "what a browser kept: an invalid entry is skipped",
	"CartTypedAtCheckout.address": "a text, or an object of the shop's own form", "OrderOrderView.address": "the same", "POST /cart/confirm.address": "the same",
	"POST /orders/manual.address": "the same", "PUT /cart/checkout.address": "the same",
	"OrderOrderView.promotions[].*": "as the order was priced then", "OrderHistoryView.body.*": "by kind, as it was written then",
	"CatalogBlockGroup.sections[].*": "sections, which /docs/widgets describes", "SiteBlockItemInput.sections[].*": "the same", "StoreBlock.sections[].*": "the same",
	"POST /docs/validate.sections[]": "sections, checked by the call itself", "POST /docs/validate.item.sections[]": "the same",
	"CatalogCategoryCard.sidebar_config[].*": "deprecated, and stored by old versions", "CatalogCategoryView.sidebar_config[].*": "the same",
	"DocsDelivery.subscription.*": "an example", "WidgetEntry.example.*": "an example",
	"WidgetEntry.choices.*[]": "values of the setting, which have its type", "WidgetWrapperEntry.choices.*[]": "the same", "WidgetFinding.allowed[]": "the same", "WidgetFinding.drawn": "the same",
	"WidgetSchema.default": "JSON Schema", "WidgetSchema.enum[]": "JSON Schema", "WidgetSchema.examples[]": "JSON Schema", "WidgetSchema.type": "JSON Schema",
	"Error.conflicts[].*": "by code", "Error.items[].*": "by code", "Error.pending[]": "by code", "Error.report.*": "by code",
	"Error.current.*":     "the object that the caller edited",
	"GET /openapi.json.*": "an OpenAPI document", "GET /v1/openapi.json.*": "the same", "GET /compiled.swagger.json.*": "the same", "GET /partner/openapi.json.*": "the same",
	"JobView.result":                                   "by the kind of the job",
	"MoveinBegun.result":                               "a job, or the plan of a dry run",
	"GET /v1/account/export.*":                         "an archive for people",
	"POST /orders/{id}/refund.amount":                  "refused, whatever it is",
	"SiteDocumentItemInput.css":                        "refused, whatever it is",
	"SiteDocumentItemInput.files":                      "refused, whatever it is",
	"SiteDocumentItemInput.html":                       "refused, whatever it is",
	"SiteDocumentItemInput.js":                         "refused, whatever it is",
	"SiteDocumentItemInput.source":                     "refused, whatever it is",
	"POST /v1/payments/{method}/{company_id}":          "the provider defines it",
	"PUT /v1/shop/payment-methods/{method}.settings.*": "by method",
	"SiteLeadView.consents[].*":                        "as it was worded then",
	"SiteLeadView.values.*":                            "the answers to the shop's own questions",
	"WebhookEventView.data.*":                          "by event, as /docs/events.json lists",
}

// freePlaces returns the places below a schema that say nothing about their value.
func freePlaces(schema any, place string) (places []string) {
	s, ok := schema.(object)
	if !ok {
		return nil
	}
	known := slices.ContainsFunc([]string{"type", "$ref", "anyOf", "allOf", "enum"}, func(word string) bool { return s[word] != nil })
	bare := s["properties"] == nil && s["additionalProperties"] == nil && strings.Contains(strings.Join(kindsOf(s), " "), "object") ||
		s["items"] == nil && strings.Contains(strings.Join(kindsOf(s), " "), "array")
	if !known || bare {
		return []string{place}
	}
	properties, _ := s["properties"].(object)
	for name, inner := range properties {
		places = append(places, freePlaces(inner, place+"."+name)...)
	}
	places = append(places, freePlaces(s["items"], place+"[]")...)
	places = append(places, freePlaces(s["additionalProperties"], place+".*")...)
	for _, word := range []string{"anyOf", "allOf"} {
		parts, _ := s[word].([]any)
		for _, part := range parts {
			places = append(places, freePlaces(part, place)...)
		}
	}
	return places
}

func kindsOf(s object) (kinds []string) {
	if one, ok := s["type"].(string); ok {
		return []string{one}
	}
	several, _ := s["type"].([]any)
	for _, one := range several {
		kinds = append(kinds, one.(string))
	}
	return kinds
}

// The document describes the shape of every value, except where only the shop knows it.
func TestOnlyFreeJSONHasNoShape(t *testing.T) {
	t.Parallel()
	root := apitest.New(t).OK("GET", "/openapi.json", "", nil)
	var places []string
	for name, schema := range root["components"].(object)["schemas"].(object) {
		places = append(places, freePlaces(schema, name)...)
	}
	for path, methods := range root["paths"].(object) {
		for method, operation := range methods.(object) {
			name := strings.ToUpper(method) + " " + path
			body, _ := operation.(object)["requestBody"].(object)
			places = append(places, freeIn(body, name)...)
			for _, response := range operation.(object)["responses"].(object) {
				places = append(places, freeIn(response.(object), name)...)
			}
		}
	}
	for _, place := range places {
		if free[place] == "" {
			t.Errorf("%s has no shape: describe it, or say above why it has none", place)
		}
	}
	for _, place := range slices.Sorted(maps.Keys(free)) {
		if !slices.Contains(places, place) {
			t.Errorf("%s has a shape now", place)
		}
	}
}

func freeIn(message object, name string) []string {
	content, _ := message["content"].(object)
	inJSON, _ := content["application/json"].(object)
	return freePlaces(inJSON["schema"], name)
}
