package docs

import (
	"strings"

	"vitrine/admin/api"
)

// front is the page for people who open the URL of the API in a browser.
const front = `# vitrine admin API

This is the API that manages the shops of this server. It is meant for programs; the links below show where to go next.

## See a shop

Each shop has its own address, ` + "`{storefront}`" + `, with its slug in place of *shop*; ` + "`vitrine shop list`" + `
prints them all. The demo shop is [here]({demo}), if the server was started with one.

## Manage a shop

In the [cabinet](/cabinet/), with the account of an owner or member.

## Get a key

` + "```sh" + `
vitrine key issue --shop SLUG --scopes all      # shown once; vitrine key list and key revoke
curl -H "Authorization: Bearer $VITRINE_KEY" {base_url}/v1/account/token
` + "```" + `

The second command shows which shop the key belongs to and what it may do. [/docs/scopes.json](/docs/scopes.json) lists all scopes;
signed-in people create keys with ` + "`POST /v1/account/tokens`" + `.

## Read on

`

// Front returns the page of the API's root. storefront is the URL of a shop with the slug "shop",
// demo that of the demo shop.
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
