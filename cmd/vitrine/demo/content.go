package demo

import (
	"embed"
	"encoding/json"
	"errors"

	"vitrine/internal/shop"
)

//go:embed content/*.json
var files embed.FS

// content is the content of one shop, as in the files.
type content struct {
	Categories []category        `json:"categories"`
	Attributes []attribute       `json:"attributes"`
	Products   []product         `json:"products"`
	Articles   []article         `json:"articles"`
	Authors    map[string]author `json:"authors"`
	Redirects  []rule            `json:"redirects"`
	Buyers     []buyer           `json:"buyers"`
	Reviews    []review          `json:"reviews"`
	Settings   json.RawMessage   `json:"settings"` // in the API's format
}

// category is a section. In the file, parents come before their children.
type category struct {
	Slug            string `json:"slug"` // empty: made from the name, as the shop does
	Parent          string `json:"parent"`
	Type            string `json:"type"`
	Name            string `json:"name"`
	Description     string `json:"description"`
	MetaDescription string `json:"meta_description"`
	Published       *bool  `json:"published"` // absent: true
	Menu            *bool  `json:"menu"`      // absent: true
	Home            bool   `json:"home"`
	Landing         bool   `json:"landing"` // shows the website in landing
}

func (c category) slug() string {
	if c.Slug != "" {
		return c.Slug
	}
	return shop.GenerateSlug(c.Name, "section")
}

// variant is one variant of a product.
type variant struct {
	Title string `json:"title"`
	Price *int64 `json:"price"` // absent: the product's
}

// product is identified by its sku.
type product struct {
	SKU         string    `json:"sku"`
	Category    string    `json:"category"`
	Also        []string  `json:"also"`
	Name        string    `json:"name"`
	Slug        string    `json:"slug"`     // empty: made from the name
	Formerly    string    `json:"formerly"` // a former slug, which redirects
	Description string    `json:"description"`
	Price       int64     `json:"price"`
	Old         int64     `json:"old"`
	Weight      int64     `json:"weight"` // in grams
	Tax         string    `json:"tax"`    // its class; empty: standard
	Stock       *int      `json:"stock"`  // absent: not tracked
	Variants    []variant `json:"variants"`
	Set         []string  `json:"set"`  // skus of its components, one of each
	Less        int       `json:"less"` // discount of a set in percent
	Low         int       `json:"low"`
	Published   *bool     `json:"published"`
}

type article struct {
	Slug     string   `json:"slug"`
	Rubric   string   `json:"rubric"`
	Title    string   `json:"title"`
	Announce string   `json:"announce"`
	Badge    string   `json:"badge"`
	Author   string   `json:"author"` // a name in authors
	Days     *int     `json:"days"`   // relative to the day of seeding; absent: no date
	Text     []string `json:"text"`   // paragraphs
}

type author struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// rule is a redirect rule in the API's format; rules are enabled by default.
type rule struct {
	Kind         string `json:"kind,omitempty"`
	FromPath     string `json:"from_path"`
	ToTarget     string `json:"to_target"`
	External     bool   `json:"external,omitempty"`
	Code         int    `json:"code"`
	Enabled      *bool  `json:"enabled"`
	OverrideLive bool   `json:"override_live,omitempty"`
	DropQuery    bool   `json:"drop_query,omitempty"`
	QueryMatch   string `json:"query_match,omitempty"`
	Note         string `json:"note,omitempty"`
}

func loadMain() (*content, error) {
	c := &content{}
	return c, errors.Join(
		read("categories", &c.Categories), read("products", &c.Products), read("articles", &c.Articles),
		read("authors", &c.Authors), read("redirects", &c.Redirects),
		read("buyers", &c.Buyers), read("reviews", &c.Reviews), read("attributes", &c.Attributes), read("settings", &c.Settings))
}

func loadAtelier() (*content, error) {
	c := &content{}
	return c, read("atelier", c)
}

func read(name string, into any) error {
	raw, err := files.ReadFile("content/" + name + ".json")
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// buyer is a buyer with several orders.
type buyer struct {
	Name     string   `json:"name"`
	Email    string   `json:"email"` // empty: a guest
	Phone    string   `json:"phone"`
	Street   string   `json:"street"`
	Postcode string   `json:"postcode"`
	City     string   `json:"city"`
	Country  string   `json:"country"`
	Buys     []string `json:"buys"` // skus
	Asks     string   `json:"asks"`
	Answer   string   `json:"answer"`
}

// on is the value of a switch that defaults to true.
func on(b *bool) bool { return b == nil || *b }
