package docs

import (
	"strings"

	"vitrine/admin/api"
)

// front is what a person sees who opens the address of the API in a browser.
const front = `# vitrine admin API

This address is for programs: it owns every write to the shops of this server. A browser finds here where to go next.

## See a shop

Each shop has an address of its own, ` + "`{storefront}`" + `, with its slug in the place of *shop*; ` + "`vitrine shop list`" + `
prints them all. The demo shop is [here]({demo}), where the server was started with one.

## Get a key

` + "```sh" + `
vitrine key issue --shop SLUG --scopes all      # shown once; vitrine key list and key revoke
curl -H "Authorization: Bearer $VITRINE_KEY" {base_url}/v1/account/token
` + "```" + `

The second line says which shop the key belongs to and what it may do. Every right is in [/docs/scopes.json](/docs/scopes.json);
people who are signed in make keys by ` + "`POST /v1/account/tokens`" + `.

## Read on

`

// Front is the page of the API's root. storefront is the address of a shop whose slug is
// "shop", demo that of the demo shop.
func (d *Docs) Front(storefront, demo string) func(c *api.Call, forPrograms api.Raw) (api.Raw, error) {
	p := newPage(func() (string, error) {
		var text strings.Builder
		text.WriteString(strings.NewReplacer("{storefront}", storefront, "{demo}", demo, "{base_url}", d.adminURL).Replace(front))
		for _, g := range guides {
			if d.status(g) == ready {
				text.WriteString("- [" + g.Title + "](" + g.Path + "): " + g.Purpose + "\n")
			}
		}
		text.WriteString("\nFor programs: [OpenAPI](/openapi.json), [reading order](/llms.txt), [index](/docs/index.json).\n")
		return text.String(), nil
	})
	return func(c *api.Call, forPrograms api.Raw) (api.Raw, error) {
		if prefersHTML(c.Header("Accept")) {
			return p.answer(c)
		}
		c.SetHeader("Vary", "Accept")
		return forPrograms, nil
	}
}
