// Package visitstats holds the statistics of visits of a shop by day (CONTRACT-COMMERCE,
// "Customers, closed resources, statistics"): their number, and lists of viewed pages and
// of sources. The edge counts, the store adds up, GET /stats reads.
//
// A list holds the most frequent names of a day and is bounded: to Live names during the
// day, so that it is exact for a shop with fewer names, and to Kept afterwards. Names left
// out can no longer be told apart; the totals of the day include them.
//
// No visitor is identified here. A visitor is a Mark: a hash under a salt that is deleted
// when the day is over.
package visitstats

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/shop"
)

// Maximum number of names of a list during its day, and afterwards.
const (
	MaxDuringDay  = 500
	MaxAfterwards = 100
)

// List holds the count of each name on a day.
type List map[string]int64

// Lists holds the lists of a day. No name contains a line end.
type Lists struct {
	Pages     List // views, by the path of the page
	Referrers List // visits, by the referring host
	Campaigns List // visits, by Campaign.Name
	Searches  List // searches without results, by their words
	Missing   List // 404 responses, by the path
}

// letters identify the lists in a row, in the order of all.
const letters = "prcsm"

// String encodes the lists for a row, one line per name: the letter of the list, the count,
// a space and the name. Reading it takes a tenth of the time of JSON; a year has a hundred
// thousand lines.
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

// Read adds lists in the format of String. Malformed lines are skipped.
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

// all returns pointers to the lists.
func (l *Lists) all() []*List {
	return []*List{&l.Pages, &l.Referrers, &l.Campaigns, &l.Searches, &l.Missing}
}

// Add adds the lists of another day, or of a part of one. Cut bounds the sum.
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

// Truncate keeps the most frequent names of each list.
func (l *Lists) Truncate(most int) {
	for _, list := range l.all() {
		if len(*list) <= most {
			continue
		}
		for _, e := range list.sorted()[most:] {
			delete(*list, e.Name)
		}
	}
}

// Entry is a name of a list with its count.
type Entry struct {
	Name  string
	Count int64
}

// Top returns the most frequent names in descending order; most must be positive.
func (l List) Top(most int) []Entry {
	top := make([]Entry, 0, most+1)
	for name, n := range l { // without sorting all: a list of a year has tens of thousands of names
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

// byCount orders entries by descending count, and by name if counts are equal.
func byCount(a, b Entry) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Name, b.Name))
}

// Campaign is the advertising campaign in an address: utm_source, utm_medium and
// utm_campaign.
type Campaign struct{ Source, Medium, Campaign string }

// Name encodes the campaign for a list. None of the three may contain a control character.
func (c Campaign) Name() string { return c.Source + "\t" + c.Medium + "\t" + c.Campaign }

// CampaignOf decodes the name of a campaign.
func CampaignOf(name string) (c Campaign) {
	c.Source, name, _ = strings.Cut(name, "\t")
	c.Medium, c.Campaign, _ = strings.Cut(name, "\t")
	return c
}

// Kind is the kind of a mark.
type Kind uint8

// Kinds: a visitor, a visitor from a host, a visitor from a campaign.
const (
	Visitor Kind = iota
	FromReferrer
	FromCampaign
)

// Mark is something that counts once per visitor and day, on whichever edge.
type Mark struct {
	Hash int64 // of visitor, kind and name with the salt of the day
	Kind Kind
	Name string // name in the list
}

// AddMark adds a mark, which must not have been counted before.
func (l *Lists) AddMark(m Mark) {
	switch m.Kind {
	case FromReferrer:
		l.Referrers.add(List{m.Name: 1})
	case FromCampaign:
		l.Campaigns.add(List{m.Name: 1})
	}
}

// Day is what an edge has counted for a shop on a day.
type Day struct {
	Company shop.CompanyID
	Date    shop.Day
	Views   int64
	Lists   Lists // without the counts of the marks
	Marks   []Mark
}

// Batch is what an edge sends at once. It may be sent twice, if its response was lost, and
// counts once.
type Batch struct {
	Run    [16]byte // of the process
	Number int64    // increasing within a run
	Days   []Day    // at most one per shop and date
}
