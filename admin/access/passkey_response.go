package access

import (
	"encoding/json"

	"vitrine/internal/shop"
)

// passkeyResponse is the answer of a device as browsers give it (PublicKeyCredential.toJSON, Web
// Authentication Level 3, 5.1). Bytes are base64url. No extensions are asked for, so their results
// are not read.
type passkeyResponse struct {
	ID         string         `json:"id" len:"2048"`
	RawID      string         `json:"rawId" len:"2048"`
	Type       string         `json:"type" len:"32" doc:"public-key"`
	Attachment *string        `json:"authenticatorAttachment" len:"32"`
	Extensions shop.Object    `json:"clientExtensionResults"`
	Response   deviceResponse `json:"response"`
}

type deviceResponse struct {
	ClientData    string   `json:"clientDataJSON" len:"8192"`
	Authenticator string   `json:"authenticatorData" len:"8192"`
	Attestation   string   `json:"attestationObject" len:"32768" doc:"of a new passkey"`
	Transports    []string `json:"transports" max:"16" len:"32" doc:"of a new passkey"`
	PublicKey     *string  `json:"publicKey" len:"4096" doc:"of a new passkey; the attestation object has it too"`
	Algorithm     *int     `json:"publicKeyAlgorithm" doc:"of a new passkey"`
	Signature     string   `json:"signature" len:"4096" doc:"of a sign-in"`
	UserHandle    *string  `json:"userHandle" len:"128" doc:"of a sign-in"`
}

// attestation returns the answer to register/begin in the form that package webauthn reads.
func (r passkeyResponse) attestation() []byte {
	return r.encode(map[string]any{
		"clientDataJSON": r.Response.ClientData, "attestationObject": r.Response.Attestation, "transports": r.Response.Transports,
	})
}

// assertion returns the answer to login/begin.
func (r passkeyResponse) assertion() []byte {
	return r.encode(map[string]any{
		"clientDataJSON": r.Response.ClientData, "authenticatorData": r.Response.Authenticator,
		"signature": r.Response.Signature, "userHandle": r.Response.UserHandle,
	})
}

func (r passkeyResponse) encode(response map[string]any) []byte {
	text, err := json.Marshal(map[string]any{
		"id": r.ID, "rawId": r.RawID, "type": r.Type, "response": response, "clientExtensionResults": struct{}{},
	})
	if err != nil {
		return nil // texts are always encoded
	}
	return text
}
