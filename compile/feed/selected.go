package feed

import (
	"slices"
	"strconv"
	"strings"
)

// choice is what the options of range products ask for.
type choice struct {
	within, without map[int64]bool // categories with those below them; nil: all, none
	limit           int
	zero            bool
}

// selected is the products that options choose, oldest first. Options in another
// order are the same selection, and one that was made before costs nothing.
func (r *run) selected(line int, options []string) selection {
	size := 0
	for _, option := range options {
		size += len(option)
	}
	r.build(line, size)
	key := strings.Join(options, "\x00")
	if s, ok := r.selections[key]; ok {
		return s
	}
	if len(r.selections) == MaxSelections {
		r.fail(line, "the template makes more than %d different selections of products", MaxSelections)
	}
	c, why := r.catalogue.choice(options)
	if why != "" {
		r.fail(line, "products: %s", why)
	}
	if r.options.Limit > 0 {
		c.limit = min(c.limit, r.options.Limit)
	}
	s := selection{r.catalogue, c.places(r.catalogue.contents.Items)}
	r.selections[key] = s
	return s
}

func (c *choice) places(items []Item) []int32 {
	var places []int32
	for i := range items {
		if len(places) == c.limit {
			break
		}
		if c.takes(&items[i]) {
			places = append(places, int32(i))
		}
	}
	return places
}

func (c *choice) takes(p *Item) bool {
	if p.Price == 0 && !c.zero {
		return false
	}
	return (c.within == nil || p.in(c.within)) && (c.without == nil || !p.in(c.without))
}

// in tells whether the main or an extra category is one of these.
func (p *Item) in(categories map[int64]bool) bool {
	return categories[p.CategoryID] || slices.ContainsFunc(p.Extra, func(id int64) bool { return categories[id] })
}

// choice reads options (document 3, 4.3); why says what is wrong with them.
func (c *Catalogue) choice(options []string) (out choice, why string) {
	out.limit = MaxProducts
	given := map[string]bool{}
	for _, option := range options {
		name, arg, ok := strings.Cut(option, "=")
		if !ok {
			return out, strconv.Quote(option) + ` is no option: write "name=value"`
		}
		if given[name] {
			return out, name + " is given twice"
		}
		given[name] = true
		switch name {
		case "category":
			out.within, why = c.subtrees(arg)
		case "exclude_category":
			out.without, why = c.subtrees(arg)
		case "limit":
			out.limit, why = limit(arg)
		case "include_zero_price":
			out.zero = arg == "true"
			if arg != "true" && arg != "false" {
				why = "include_zero_price is true or false"
			}
		default:
			why = "there is no option " + strconv.Quote(name)
		}
		if why != "" {
			return out, why
		}
	}
	return out, ""
}

func limit(arg string) (int, string) {
	n, err := strconv.Atoi(arg)
	if err != nil || arg[0] == '+' || n < 1 || n > MaxProducts {
		return 0, "limit is a number from 1 to " + strconv.Itoa(MaxProducts)
	}
	return n, ""
}

// subtrees is the categories that a list of slugs and ids names, with all below
// them.
func (c *Catalogue) subtrees(names string) (map[int64]bool, string) {
	out := map[int64]bool{}
	for name := range strings.SplitSeq(names, ",") {
		name = strings.TrimSpace(name)
		id, found := c.bySlug[name]
		if n, err := strconv.ParseInt(name, 10, 64); err == nil {
			id, found = n, c.known[n]
		}
		if !found {
			return nil, "there is no category " + strconv.Quote(name)
		}
		c.collect(id, out)
	}
	return out, ""
}

func (c *Catalogue) collect(id int64, out map[int64]bool) {
	if out[id] {
		return
	}
	out[id] = true
	for _, child := range c.children[id] {
		c.collect(child, out)
	}
}
