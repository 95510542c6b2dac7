package feed

// Count is what one build of a feed offered, and what it could have.
type Count struct {
	Offers    int // in the output: those of a lint report, else Result.Items
	Catalogue int // Result.Products
}

// Implausible tells a build that lost more than half of the offers it should
// have. A marketplace takes a missing offer for one that was withdrawn, so such
// a build does not replace the good copy unless the catalogue shrank as much, or
// the owner edited the template.
func (now Count) Implausible(before Count) bool {
	return 2*now.Offers*max(before.Catalogue, 1) < before.Offers*min(now.Catalogue, before.Catalogue)
}
