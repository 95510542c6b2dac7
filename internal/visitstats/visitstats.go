// Package tally is what visits of a shop add up to on a day (CONTRACT-COMMERCE,
// "Customers, closed resources, statistics"): how many, and lists of what they looked
// at and where they came from. The edge counts, the store adds up, GET /stats reads.
//
// A list holds the most frequent names of a day and is bounded: while the day lasts
// to Live names, so that it is exact for a shop of which less is asked for, and
// afterwards to Kept. What is left out is no longer told apart; the totals of the day
// hold it all the same.
//
// Nothing here says who visited. A visitor is a Mark: a hash under a salt that is
// thrown away when the day is over.
package visitstats

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/shop"
)

// How many names a list holds while its day lasts, and afterwards.
const (
	Live = 500
	Kept = 100
)

// List is how often each name came on a day.
type List map[string]int64

// Lists are those of a day. No name has a line end.
type Lists struct {
	Pages     List // views, by the path of the page
	Referrers List // visits, by the host that they came from
	Campaigns List // visits, by Campaign.Name
	Searches  List // what was looked for and not found, by the words
	Missing   List // answers of 404, by the path
}

// letters stand for the lists in a row, in the order of all.
const letters = "prcsm"

// String is the lists as a row keeps them, a line for each name: the letter of the list,
// how often, a space and the name. It is a tenth of the time of JSON to read, of which a
// year has a hundred thousand.
func (l Lists) String() string {
	var out []byte
	for i, list := range l.all() {
		for _, e := range list.sorted() {
			out = strconv.AppendInt(append(out, letters[i]), e.Count, 10)
			out = append(append(append(out, ' '), e.Name...), '\n')
		}
	}
	return string(out)
}

// Read adds lists as String writes them. Lines that it did not write are passed over.
func (l *Lists) Read(text string) {
	all := l.all()
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		count, name, ok := strings.Cut(line, " ")
		if !ok || count == "" {
			continue
		}
		i := strings.IndexByte(letters, count[0])
		n, err := strconv.ParseInt(count[1:], 10, 64)
		if i < 0 || err != nil || n <= 0 {
			continue
		}
		if *all[i] == nil {
			*all[i] = List{}
		}
		(*all[i])[name] += n
	}
}

// all are the lists with their places.
func (l *Lists) all() []*List {
	return []*List{&l.Pages, &l.Referrers, &l.Campaigns, &l.Searches, &l.Missing}
}

// Add adds another day, or a part of one. Cut bounds the sum.
func (l *Lists) Add(o *Lists) {
	more := o.all()
	for i, list := range l.all() {
		list.add(*more[i])
	}
}

func (l *List) add(o List) {
	if *l == nil && len(o) > 0 {
		*l = make(List, len(o))
	}
	for name, n := range o {
		(*l)[name] += n
	}
}

// Cut leaves each list its most frequent names.
func (l *Lists) Cut(most int) {
	for _, list := range l.all() {
		if len(*list) <= most {
			continue
		}
		for _, e := range list.sorted()[most:] {
			delete(*list, e.Name)
		}
	}
}

// Entry is a name of a list.
type Entry struct {
	Name  string
	Count int64
}

// Top is the most frequent names, the most frequent first; most is above 0.
func (l List) Top(most int) []Entry {
	top := make([]Entry, 0, most+1)
	for name, n := range l { // a list of a year has tens of thousands: they are not sorted for so few
		e := Entry{name, n}
		if len(top) == most && byCount(e, top[most-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, e, byCount)
		top = slices.Insert(top, at, e)
		top = top[:min(len(top), most)]
	}
	return top
}

func (l List) sorted() []Entry {
	list := make([]Entry, 0, len(l))
	for name, n := range l {
		list = append(list, Entry{name, n})
	}
	slices.SortFunc(list, byCount)
	return list
}

// byCount is the order of entries, by name where counts are equal.
func byCount(a, b Entry) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Name, b.Name))
}

// Campaign is where an advertisement says that a visitor comes from: utm_source,
// utm_medium and utm_campaign.
type Campaign struct{ Source, Medium, Campaign string }

// Name is the campaign in a list. None of the three has a control character.
func (c Campaign) Name() string { return c.Source + "\t" + c.Medium + "\t" + c.Campaign }

// CampaignOf is the campaign of a name.
func CampaignOf(name string) (c Campaign) {
	c.Source, name, _ = strings.Cut(name, "\t")
	c.Medium, c.Campaign, _ = strings.Cut(name, "\t")
	return c
}

// Kind is what a mark is of.
type Kind uint8

// A visitor, one who came from a host, one who came by a campaign.
const (
	Visitor Kind = iota
	Referred
	Campaigned
)

// Mark is something that counts once a visitor and day, whatever edge saw it.
type Mark struct {
	Hash int64 // of visitor, kind and name under the salt of the day
	Kind Kind
	Name string // of the list
}

// Count adds a mark that nobody brought before.
func (l *Lists) Count(m Mark) {
	switch m.Kind {
	case Referred:
		l.Referrers.add(List{m.Name: 1})
	case Campaigned:
		l.Campaigns.add(List{m.Name: 1})
	}
}

// Day is what an edge has counted of a shop's day.
type Day struct {
	Company shop.CompanyID
	Date    shop.Day
	Views   int64
	Lists   Lists // without what marks count
	Marks   []Mark
}

// Batch is what an edge hands over at once. It may come twice, because its answer was
// lost, and counts once.
type Batch struct {
	Run    [16]byte // of the process
	Number int64    // rising in a run
	Days   []Day    // at most one of a shop and date
}
