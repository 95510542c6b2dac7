package oauth

import (
	"context"
	"encoding/json"

	"vitrine/admin/api"
	"vitrine/internal/shop"
)

const resourcePath = "/.well-known/oauth-protected-resource"

func jsonResponse(status int, v any) api.Response {
	body, err := json.Marshal(v)
	if err != nil { // none of the values can fail
		return api.Response{Status: 500, ContentType: "application/json", Body: []byte(`{"error":"server_error"}`)}
	}
	return api.Response{Status: status, ContentType: "application/json", Body: body, Header: map[string]string{"Pragma": "no-cache"}}
}

func scopeNames() (names []string) {
	for _, s := range shop.Scopes {
		names = append(names, string(s.Scope))
	}
	return names
}

// describeResource answers RFC 9728, at both addresses that clients try for /mcp.
func (o *OAuth) describeResource(_ context.Context, c *api.Call) (api.Response, error) {
	if err := c.CountForNetworkAs(api.Read); err != nil {
		return api.Response{}, err
	}
	return jsonResponse(200, map[string]any{
		"resource": o.URL + "/mcp", "authorization_servers": []string{o.URL}, "bearer_methods_supported": []string{"header"},
		"scopes_supported": scopeNames(), "resource_name": "vitrine shop", "resource_documentation": o.URL + "/docs/agents",
	}), nil
}

// describeServer answers RFC 8414.
func (o *OAuth) describeServer(_ context.Context, c *api.Call) (api.Response, error) {
	if err := c.CountForNetworkAs(api.Read); err != nil {
		return api.Response{}, err
	}
	none := []string{"none"}
	return jsonResponse(200, map[string]any{
		"issuer": o.URL, "authorization_endpoint": o.URL + "/oauth/authorize", "token_endpoint": o.URL + "/oauth/token",
		"registration_endpoint": o.URL + "/oauth/register", "revocation_endpoint": o.URL + "/oauth/revoke",
		"scopes_supported": scopeNames(), "response_types_supported": []string{"code"}, "response_modes_supported": []string{"query"},
		"grant_types_supported": []string{"authorization_code", "refresh_token"}, "code_challenge_methods_supported": []string{"S256"},
		"token_endpoint_auth_methods_supported": none, "revocation_endpoint_auth_methods_supported": none,
		"authorization_response_iss_parameter_supported": true, "service_documentation": o.URL + "/docs/agents",
	}), nil
}
