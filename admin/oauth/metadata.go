package oauth

import (
	"context"
	"encoding/json"

	"vitrine/admin/api"
	"vitrine/internal/shop"
)

const (
	resourcePath = "/.well-known/oauth-protected-resource"
	serverPath   = "/.well-known/oauth-authorization-server"
)

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

// metadata describes the server (RFC 8414) and its resource (RFC 9728).
func (s *server) metadata(at place) (server, resource map[string]any) {
	none := []string{"none"}
	server = map[string]any{
		"issuer": at.issuer, "authorization_endpoint": at.issuer + at.authorize, "token_endpoint": at.endpoints + "/oauth/token",
		"registration_endpoint": at.endpoints + "/oauth/register", "revocation_endpoint": at.endpoints + "/oauth/revoke",
		"response_types_supported": []string{"code"}, "response_modes_supported": []string{"query"},
		"grant_types_supported": []string{"authorization_code", "refresh_token"}, "code_challenge_methods_supported": []string{"S256"},
		"token_endpoint_auth_methods_supported": none, "revocation_endpoint_auth_methods_supported": none,
		"authorization_response_iss_parameter_supported": true,
	}
	resource = map[string]any{
		"resource": at.resources[0], "authorization_servers": []string{at.issuer}, "bearer_methods_supported": []string{"header"},
	}
	s.describe(at, server, resource)
	return server, resource
}

// describeResource answers RFC 9728.
func (s *server) describeResource(_ context.Context, _ *api.Call, at place) (api.Response, error) {
	_, resource := s.metadata(at)
	return jsonResponse(200, resource), nil
}

// describeServer answers RFC 8414.
func (s *server) describeServer(_ context.Context, _ *api.Call, at place) (api.Response, error) {
	server, _ := s.metadata(at)
	return jsonResponse(200, server), nil
}
