package feed

import (
	"slices"
	"strconv"
	"strings"
)

// filter holds the options of range products.
type filter struct {
	within, without map[int64]bool // categories with their descendants; nil: no restriction
	limit           int
	chosen          bool // the limit is the author's, or that of a preview
	zero            bool
}

// selectProducts returns the products that sorted options select, oldest first.
// Selections are cached by their options.
func (r *run) selectProducts(line int, options []string) selection {
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
	c, fault := r.catalogue.filter(options)
	if fault != "" {
		r.fail(line, "products: %s", fault)
	}
	if r.options.Limit > 0 {
		c.limit, c.chosen = min(c.limit, r.options.Limit), true
	}
	indexes, more := c.indexes(r.catalogue.contents.Items)
	if more && !c.chosen {
		r.warn(line, CodeProductsCut, "this selection has more than "+strconv.Itoa(MaxProducts)+" products; the file has the oldest of them: divide them among several files with options")
	}
	s := selection{r.catalogue, indexes}
	r.selections[key] = s
	return s
}

// indexes returns the accepted items up to the limit, and whether there are more.
func (c *filter) indexes(items []Item) (indexes []int32, more bool) {
	for i := range items {
		full := len(indexes) == c.limit
		if full && c.chosen {
			break
		}
		if !c.accepts(&items[i]) {
			continue
		}
		if full {
			return indexes, true
		}
		indexes = append(indexes, int32(i))
	}
	return indexes, false
}

func (c *filter) accepts(p *Item) bool {
	if p.Price == 0 && !c.zero {
		return false
	}
	return (c.within == nil || p.in(c.within)) && (c.without == nil || !p.in(c.without))
}

// in reports whether the main category or an extra one is among categories.
func (p *Item) in(categories map[int64]bool) bool {
	return categories[p.CategoryID] || slices.ContainsFunc(p.Extra, func(id int64) bool { return categories[id] })
}

// filter parses options (document 3, 4.3). fault says what is wrong with them.
func (c *Catalogue) filter(options []string) (out filter, fault string) {
	out.limit = MaxProducts
	given := map[string]bool{}
	for _, option := range options {
		name, arg, ok := strings.Cut(option, "=")
		if !ok {
			return out, strconv.Quote(option) + ` is not an option: write "name=value"`
		}
		if given[name] {
			return out, name + " is given twice"
		}
		given[name] = true
		switch name {
		case "category":
			out.within, fault = c.subtrees(arg)
		case "exclude_category":
			out.without, fault = c.subtrees(arg)
		case "limit":
			out.chosen = true
			out.limit, fault = limit(arg)
		case "include_zero_price":
			out.zero = arg == "true"
			if arg != "true" && arg != "false" {
				fault = "include_zero_price is true or false"
			}
		default:
			fault = "there is no option " + strconv.Quote(name)
		}
		if fault != "" {
			return out, fault
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

// subtrees returns the categories that a comma-separated list of slugs and ids
// names, with their descendants.
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
