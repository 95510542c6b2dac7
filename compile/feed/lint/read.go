package lint

// fact is one element of an offer or item, or of the shop or channel around them.
type fact struct {
	name string
	text string
	at   int
}

// entry is an offer or an item.
type entry struct {
	id    string
	at    int
	attrs []attr
	facts []fact
}

// fact returns the first element with this name. Without one it returns the entry's offset.
func (e *entry) fact(name string) (f fact, ok bool) {
	for _, f := range e.facts {
		if f.name == name {
			return f, true
		}
	}
	return fact{at: e.at}, false
}

// summary collects the parts of a feed outside its entries, and the ids of entries.
type summary struct {
	ids        map[string]bool
	products   map[string]bool // ids of products, where they have variants
	categories map[string]bool
	parents    []fact // name is the category, text its parent
	currencies map[string]bool
	head       map[string]bool // elements of shop or channel that occur
}

// scan reads all tags: entries are checked by the rules of the kind, other elements go to the
// summary.
func (c *checker) scan() {
	if isACP(c.out) {
		c.acpFeed()
		return
	}
	root, ok := next(c.out, 0)
	if !ok {
		return
	}
	switch c.local(root.name) {
	case "yml_catalog":
		c.report.Kind = YML
	case "rss", "feed":
		c.report.Kind = Google
	default:
		return
	}
	c.summary = summary{ids: map[string]bool{}, categories: map[string]bool{}, currencies: map[string]bool{}, head: map[string]bool{}}
	if c.report.Kind == YML {
		c.ymlRoot(root)
	}
	for at := root.after; ; {
		t, ok := next(c.out, at)
		if !ok {
			break
		}
		at = t.after
		if t.end {
			continue
		}
		switch name := c.local(t.name); {
		case c.report.Kind == YML && name == "offer", c.report.Kind == Google && (name == "item" || name == "entry"):
			c.report.Offers++
			var e entry
			e, at = c.entry(t)
			c.check(&e)
		default:
			c.outside(name, t)
		}
	}
	c.feed()
}

func (c *checker) check(e *entry) {
	if c.report.Kind == YML {
		c.offer(e)
		return
	}
	c.item(e)
}

func (c *checker) feed() {
	if c.report.Kind == YML {
		c.ymlFeed()
		return
	}
	c.googleFeed()
}

// entry reads an entry from its start tag to its end tag.
func (c *checker) entry(start tag) (e entry, after int) {
	e = entry{at: start.at, attrs: start.attributes(), facts: c.facts[:0]}
	defer func() { c.facts = e.facts }()
	if start.empty {
		return e, start.after
	}
	own := string(start.name)
	at := start.after
	for {
		t, ok := next(c.out, at)
		if !ok {
			return e, len(c.out)
		}
		at = t.after
		switch {
		case t.end && string(t.name) == own:
			return e, at
		case t.end:
		case t.empty:
			href, _ := value(t.attributes(), "href") // Atom: <link href="…"/>
			e.facts = append(e.facts, fact{c.local(t.name), href, t.at})
		default:
			end := c.closing(t)
			if c.report.Kind == YML && c.local(t.name) == "param" {
				c.param(t)
			}
			e.facts = append(e.facts, fact{c.local(t.name), content(c.out[t.after:end]), t.at})
		}
	}
}

// closing returns the end of the text of t: the offset of the next tag, which for an element with
// children is the first tag inside, since that one is read next.
func (c *checker) closing(t tag) int {
	if inner, ok := next(c.out, t.after); ok {
		return inner.at
	}
	return len(c.out)
}

// outside records an element outside the entries.
func (c *checker) outside(name string, t tag) {
	c.summary.head[name] = true
	if c.report.Kind != YML {
		return
	}
	attrs := t.attributes()
	id, _ := value(attrs, "id")
	switch name {
	case "currency":
		c.summary.currencies[id] = true
	case "category":
		c.category(t, id, attrs)
	}
}
