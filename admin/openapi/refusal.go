package openapi

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/shop"
)

type example struct {
	Ref     string `json:"$ref,omitempty"`
	Summary string `json:"summary,omitempty"`
	Value   any    `json:"value,omitempty"`
}

// refusals returns the error responses of an endpoint by status. Every code is a component
// example. A response that several endpoints have is a component as well.
func (b *builder) refusals(e *api.Endpoint) map[string]*response {
	answers := map[string]*response{}
	for status, list := range byStatus(e) {
		answer, name := b.refusal(status, list), sharedName(status, list)
		if len(list) == 1 || b.repeated[name] > 1 {
			b.doc.Components.Responses[name] = answer
			answer = &response{Ref: "#/components/responses/" + name}
		}
		answers[strconv.Itoa(status)] = answer
	}
	return answers
}

// byStatus returns the refusals of an endpoint by status, each list ordered by code.
func byStatus(e *api.Endpoint) map[int]api.Refusals {
	lists := map[int]api.Refusals{}
	for _, r := range e.Refusals() {
		lists[r.Status()] = append(lists[r.Status()], r)
	}
	for _, list := range lists {
		slices.SortFunc(list, func(a, b *shop.Refusal) int { return strings.Compare(a.Code, b.Code) })
	}
	return lists
}

// sharedName is the component name of a response: its code, or a number made of its codes.
func sharedName(status int, list api.Refusals) string {
	if len(list) == 1 {
		return codeKey(list[0])
	}
	codes := sha256.New()
	for _, r := range list {
		fmt.Fprintln(codes, r.Code)
	}
	return fmt.Sprintf("%d-%x", status, codes.Sum(nil)[:4])
}

func (b *builder) refusal(status int, list api.Refusals) *response {
	content := media{Schema: &schema{Ref: "#/components/schemas/Error"}, Examples: map[string]*example{}}
	var words []string
	for _, r := range list {
		words = append(words, "`"+r.Code+"`: "+r.Meaning)
		b.doc.Components.Examples[codeKey(r)] = &example{Summary: r.Meaning, Value: r.Body()}
		content.Examples[codeKey(r)] = &example{Ref: "#/components/examples/" + codeKey(r)}
	}
	answer := &response{
		Description: strings.Join(words, "; "), Headers: usualHeaders(), Content: map[string]media{"application/json": content},
	}
	for code, name := range map[int]string{429: "Retry-After", 401: "WWW-Authenticate"} {
		if status == code {
			answer.Headers[name] = &header{Ref: "#/components/headers/" + name}
		}
	}
	return answer
}

// codeKey returns a code in a form allowed as a component name.
func codeKey(r *shop.Refusal) string {
	code, _, _ := strings.Cut(r.Code, ":")
	return code
}

// faultSchema is an entry of faults: a part of the form of a body that is wrong.
func faultSchema() *schema {
	return &schema{
		Type: "object", Required: []string{"code", "place", "detail"}, AdditionalProperties: false,
		Properties: map[string]*schema{"code": {Type: "string"}, "place": {Type: "string"}, "detail": {Type: "string"}},
	}
}

// errorSchema is the body of every refusal (document 1, conventions). The fields other than
// the first belong to the codes whose description mentions them.
func errorSchema() *schema {
	text, open := &schema{Type: "string"}, &schema{} // open: any JSON
	objects := &schema{Type: "array", Items: &schema{Type: "object", AdditionalProperties: open}}
	return &schema{
		Type: "object", Required: []string{"error", "code", "place", "detail"}, AdditionalProperties: false,
		Properties: map[string]*schema{
			"error":          {Type: "string", Pattern: `^rpc error: code = [A-Za-z]+ desc = .+`, Description: "rpc error: code = <class> desc = <CODE>: <detail>"},
			"code":           {Type: "string", Description: "the CODE in error, which programs match"},
			"place":          {Type: "string", Description: "what the refusal is about: a path from the root of the body, such as item.gallery[0].id, or the name of a parameter of the address; empty if it is neither"},
			"detail":         {Type: "string", Description: "what is wrong, for people"},
			"faults":         {Type: "array", MaxItems: 50, Items: &schema{Ref: "#/components/schemas/Fault"}, Description: "everything that is wrong with the form of the body, at most 50; the first is also in code, place and detail. Absent if the body has its form"},
			"required_scope": {Type: "string", Description: "the scope that the key lacks"},
			"methods":        {Type: "array", Items: text, Description: "the second factors that the person has: totp, recovery_code, passkey"},
			"limit_code":     {Type: "string", Description: "the limit of the plan that was reached"},
			"retry_after":    {Type: "integer", Description: "seconds, as in Retry-After"},
			"line":           {Type: "integer", Description: "line of a template, starting at 1; 0 if unknown"},
			"field":          {Type: "string", Description: "the field of a form whose value was refused"},
			"rule":           {Type: "string", Description: "the rule of that field that the value breaks"},
			"limit":          {Type: "string", Description: "the limit of that rule"},
			"bits":           {Type: "integer", Description: "the number of leading zero bits required of the proof of work"},
			"sections":       {Type: "array", Items: text, Description: "the sections of the guide"},
			"report":         {Type: "object", AdditionalProperties: open, Description: "what is wrong with a release: errors, warnings, info"},
			"guidance":       {Type: "string", Description: "what to do with a file of another system"},
			"pending":        {Type: "array", Items: open, Description: "files of a release that were not uploaded yet"},
			"witness":        {Type: "string", Description: "a URL that demonstrates the fault of a redirect set"},
			"chain":          {Type: "array", Items: text, Description: "the chain of redirects that starts at the witness"},
			"rules":          {Type: "array", Items: text, Description: "ids of the rules in that chain; 0 for an unsaved rule"},
			"oldest_version": {Type: "string", Description: "the oldest version of the redirect set that can be restored"},
			"current":        {Type: []string{"object", "null"}, AdditionalProperties: open, Description: "the object as it is now; null if it was deleted or the caller may not read it"},
			"updated_by": {
				Type: []string{"object", "null"}, Required: []string{"user_id", "name"}, Description: "the person who changed it; null if no call of the API did",
				Properties: map[string]*schema{"user_id": {Type: "integer", Format: "int32"}, "name": text},
			},
			"conflicts": objects, "items": objects, "path": text, "sha256": text, "size": {Type: []string{"integer", "string"}}, "release_id": text,
			"in_use": {Type: "boolean"}, "was_live": {Type: "boolean"},
		},
	}
}
