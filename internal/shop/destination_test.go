package shop

import "testing"

func TestDestinationsThatMeanTheSameAreEqual(t *testing.T) {
	for _, c := range []struct {
		country, region, postcode string
		want                      Destination
	}{
		{"de", " Bayern ", "80331", Destination{"DE", "bayern", "80331"}},
		{" US", "US-ny", "10001", Destination{"US", "ny", "10001"}},
		{"us", "NY", " 10001 ", Destination{"US", "ny", "10001"}},
		{"GB", "Greater  London", "sw1a 1aa", Destination{"GB", "greater london", "SW1A1AA"}},
		{"Germany", "Bayern", "80331", Destination{UnknownCountry, "bayern", "80331"}},
		{"", "", "", Destination{}},
	} {
		if got := NewDestination(c.country, c.region, c.postcode); got != c.want {
			t.Errorf("NewDestination(%q, %q, %q) = %+v, want %+v", c.country, c.region, c.postcode, got, c.want)
		}
	}
}

func TestADefaultCountryCountsOnlyIfNoneIsNamed(t *testing.T) {
	for named, want := range map[string]Destination{"": {"US", "ny", "1"}, "ca": {"CA", "us-ny", "1"}, "Canada": {UnknownCountry, "us-ny", "1"}} {
		if got := NewDestination(named, "US-NY", "1").Or("US"); got != want {
			t.Errorf("country %q: %+v, want %+v", named, got, want)
		}
	}
	if got := NewDestination("", "US-NY", "").Or(""); got != (Destination{Region: "us-ny"}) {
		t.Errorf("without a default country: %+v", got)
	}
}

func TestTheDestinationOfAnAddressIsReadFromItsFields(t *testing.T) {
	for address, want := range map[string]Destination{
		`{"country":"de","region":"BY","postcode":"80 331","street":"Am Markt 1"}`: {"DE", "by", "80331"},
		`{"country":49,"postcode":["80331"]}`:                                      {},
		`"Am Markt 1, 80331"`:                                                      {},
		`null`:                                                                     {},
		``:                                                                         {},
		`[1]`:                                                                      {},
	} {
		if got := DestinationOf([]byte(address)); got != want {
			t.Errorf("DestinationOf(%s) = %+v, want %+v", address, got, want)
		}
	}
}
