package apitest

import "github.com/descope/virtualwebauthn"

// NewPasskey returns a passkey of a virtual device. The library writes the coordinates of one key in
// 128 with a byte too few, which a server must refuse, so such a key is not used.
func NewPasskey() virtualwebauthn.Credential {
	const whole = 77 // bytes of a public key with both coordinates of 32 bytes
	for {
		if c := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2); len(c.Key.AttestationData()) == whole {
			return c
		}
	}
}
