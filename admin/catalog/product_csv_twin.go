package catalog

import "vitrine/internal/shop"

// twinsCell writes the alternate-language pages, each as its language and address separated by
// a space.
func twinsCell(twins []shop.Twin) string {
	texts := make([]string, len(twins))
	for i, t := range twins {
		texts[i] = t.String()
	}
	return joinList(texts)
}

// twins reads the cell that twinsCell writes; nil if the column is missing.
func (r *cellReader) twins(column string) *[]shop.Twin {
	texts := r.list(column)
	if texts == nil {
		return nil
	}
	out := make([]shop.Twin, len(*texts))
	for i, text := range *texts {
		t, err := shop.ParseTwin(text)
		if err != nil {
			r.fail(column, "an entry must be a language and an address, such as de https://example.com/tee")
		}
		out[i] = t
	}
	return &out
}
