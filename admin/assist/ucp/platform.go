package ucp

import (
	"reflect"
	"regexp"
	"slices"

	"vitrine/admin/api/body"
	"vitrine/internal/httpsig"
)

// Platform is a program that calls shops, as its profile describes it.
type Platform struct {
	Profile      string              // the address of the profile
	Version      string              // of the protocol
	Capabilities map[string][]string // versions by name
	Handlers     map[string][]string // kinds of payment that it can carry out, likewise
	Keys         httpsig.Keys        // that it signs with
	Webhook      string              // where it wants events of orders; empty: nowhere
}

// profileDocument is the part of a profile that is read, with its bounds.
type profileDocument struct {
	UCP struct {
		Version  string                     `json:"version" len:"20"`
		Services map[string][]serviceEntry  `json:"services"`
		Offers   map[string][]profileEntry  `json:"capabilities"`
		Handlers map[string][]handlerOfUser `json:"payment_handlers"`
	} `json:"ucp"`
	SigningKeys []httpsig.JWK `json:"signing_keys" max:"50"`
}

type profileEntry struct {
	Version string `json:"version" len:"20"`
	Config  struct {
		Webhook string `json:"webhook_url" len:"2000"`
	} `json:"config"`
}

type serviceEntry struct {
	Version   string `json:"version" len:"20"`
	Transport string `json:"transport" len:"20"`
}

type handlerOfUser struct {
	ID      string `json:"id"`
	Version string `json:"version" len:"20"`
}

var profileShape = body.ShapeOf(reflect.TypeFor[profileDocument]())

var (
	releaseName = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	reverseName = regexp.MustCompile(`^[a-z][a-z0-9]*(?:\.[a-z][a-z0-9_]*)+$`)
	transports  = []string{"rest", "mcp", "a2a", "embedded"}
)

// parseProfile reads a profile.
func parseProfile(address string, text []byte) (*Platform, error) {
	var d profileDocument
	if _, err := profileShape.Read(text, &d, body.Rules{}); err != nil {
		return nil, errMalformed.with("the profile " + address + " is not as the protocol wants it: " + err.Error())
	}
	bad := func(what string) (*Platform, error) {
		return nil, errMalformed.with("the profile " + address + " has " + what)
	}
	switch {
	case !releaseName.MatchString(d.UCP.Version):
		return bad("no ucp.version such as " + Version)
	case d.UCP.Services == nil:
		return bad("no ucp.services")
	case d.UCP.Handlers == nil:
		return bad("no ucp.payment_handlers")
	}
	p := &Platform{Profile: address, Version: d.UCP.Version, Capabilities: map[string][]string{}, Handlers: map[string][]string{}, Keys: httpsig.ParseKeys(d.SigningKeys)}
	for name, list := range d.UCP.Services {
		for _, s := range list {
			if !reverseName.MatchString(name) || !releaseName.MatchString(s.Version) || !slices.Contains(transports, s.Transport) {
				return bad("an invalid entry in ucp.services")
			}
		}
	}
	for name, list := range d.UCP.Offers {
		for _, c := range list {
			if !reverseName.MatchString(name) || !releaseName.MatchString(c.Version) {
				return bad("an invalid entry in ucp.capabilities")
			}
			p.Capabilities[name] = append(p.Capabilities[name], c.Version)
			if name == order && c.Version == Version {
				p.Webhook = c.Config.Webhook
			}
		}
	}
	for name, list := range d.UCP.Handlers {
		for _, h := range list {
			if !reverseName.MatchString(name) || !releaseName.MatchString(h.Version) || h.ID == "" {
				return bad("an invalid entry in ucp.payment_handlers")
			}
			p.Handlers[name] = append(p.Handlers[name], h.Version)
		}
	}
	if p.Version != Version {
		return nil, errVersion.with("the profile " + address + " is of version " + p.Version + "; this shop has " + Version)
	}
	return p, nil
}
