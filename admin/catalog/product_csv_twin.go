package catalog

import "vitrine/internal/shop"

// twinsCell lists the page in other languages, each as its language and address with
// a space between.
func twinsCell(twins []shop.Twin) string {
	texts := make([]string, len(twins))
	for i, t := range twins {
		texts[i] = t.String()
	}
	return joined(texts)
}

// twins reads what twinsCell writes; nil where the cell says nothing.
func (r *cellReader) twins(column string) *[]shop.Twin {
	texts := r.list(column)
	if texts == nil {
		return nil
	}
	out := make([]shop.Twin, len(*texts))
	for i, text := range *texts {
		t, err := shop.ParseTwin(text)
		if err != nil {
			r.fail(column, "an entry is a language and an address, such as de https://example.com/tee")
		}
		out[i] = t
	}
	return &out
}
