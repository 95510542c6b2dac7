package ucp

import (
	"strings"

	"github.com/dunglas/httpsfv"

	"vitrine/internal/outbound"
)

// agentHeader names the platform that calls: profile="https://…", a dictionary of RFC 8941.
const agentHeader = "UCP-Agent"

// profileIn returns the address of a profile in the values of the header.
func profileIn(values []string) (string, error) {
	if len(values) != 1 {
		return "", errProfileURL.with(`send one header UCP-Agent: profile="https://…"`)
	}
	fields, err := httpsfv.UnmarshalDictionary(values)
	if err != nil {
		return "", errProfileURL.with("UCP-Agent is not a dictionary of RFC 8941")
	}
	member, _ := fields.Get("profile")
	item, _ := member.(httpsfv.Item)
	address, isText := item.Value.(string)
	if !isText || strings.Count(values[0], "profile=") > 1 {
		return "", errProfileURL.with(`UCP-Agent has no profile="https://…"`)
	}
	return address, checkProfileURL(address)
}

// checkProfileURL refuses what cannot be the address of a profile.
func checkProfileURL(address string) error {
	if len(address) > maxProfileURL {
		return errProfileURL.with("the address of the profile has more than 2000 bytes")
	}
	u, err := outbound.ParseURL(address)
	switch {
	case err != nil && !strings.Contains(address, "localhost"):
		return errProfileURL.with("the address of the profile is not allowed")
	case err == nil && u.Fragment != "":
		return errProfileURL.with("the address of the profile has a fragment")
	}
	return nil
}
