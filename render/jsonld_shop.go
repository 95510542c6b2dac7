package render

// Structured data of the shop and its website, on the home page.
type (
	ldShop struct {
		Context string     `json:"@context"`
		Type    string     `json:"@type"`
		ID      string     `json:"@id"`
		Name    string     `json:"name"`
		Legal   string     `json:"legalName,omitempty"`
		URL     string     `json:"url"`
		Logo    string     `json:"logo,omitempty"`
		Phone   string     `json:"telephone,omitempty"`
		Email   string     `json:"email,omitempty"`
		Address string     `json:"address,omitempty"`
		Contact *ldContact `json:"contactPoint,omitempty"`
		SameAs  []string   `json:"sameAs,omitempty"`
	}
	ldContact struct {
		Type  string `json:"@type"`
		Kind  string `json:"contactType"`
		Phone string `json:"telephone,omitempty"`
		Email string `json:"email,omitempty"`
	}
	ldWebsite struct {
		Context  string   `json:"@context"`
		Type     string   `json:"@type"`
		ID       string   `json:"@id"`
		Name     string   `json:"name"`
		URL      string   `json:"url"`
		Language string   `json:"inLanguage"`
		Owner    ldRef    `json:"publisher"`
		Search   ldSearch `json:"potentialAction"`
	}
	ldRef struct {
		ID string `json:"@id"`
	}
	ldSearch struct {
		Type   string  `json:"@type"`
		Target ldEntry `json:"target"`
		Input  string  `json:"query-input"`
	}
	ldEntry struct {
		Type     string `json:"@type"`
		Template string `json:"urlTemplate"`
	}
)

func (v *view) ldShop() ldShop {
	face, home := v.Shop.Face, v.Shop.Origin+"/"
	out := ldShop{
		Context: schemaOrg, Type: "Organization", ID: home + "#shop", Name: v.Shop.Name, Legal: face.Legal.Name, URL: home,
		Phone: face.Contacts.Phone, Email: face.Contacts.Email, Address: face.Contacts.Address,
	}
	if logo := v.ShopLogo(); logo.Path != "" {
		out.Logo = v.absolute(logo.Resized(640))
	}
	if out.Phone != "" || out.Email != "" {
		out.Contact = &ldContact{"ContactPoint", "customer service", out.Phone, out.Email}
	}
	for _, s := range v.Socials() {
		out.SameAs = append(out.SameAs, s.Path)
	}
	return out
}

func (v *view) ldWebsite() ldWebsite {
	home := v.Shop.Origin + "/"
	return ldWebsite{
		Context: schemaOrg, Type: "WebSite", ID: home + "#website", Name: v.Shop.Name, URL: home, Language: v.T.Lang, Owner: ldRef{home + "#shop"},
		Search: ldSearch{"SearchAction", ldEntry{"EntryPoint", v.Shop.Origin + "/search?q={search_term_string}"}, "required name=search_term_string"},
	}
}
