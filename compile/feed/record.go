package feed

// Record is data of a render beside the catalogue, such as the order of a letter.
// Its keys are the field names of templates. Its values are string, int64, bool,
// []string, Record and []Record.
type Record map[string]any

// get reads a field. ok is false when the record has no such field.
func (r Record) get(name string) (v value, ok bool) {
	switch field := r[name].(type) {
	case string:
		return text(field), true
	case int64:
		return number(field), true
	case bool:
		return boolean(field), true
	case []string:
		return value{kind: kindList, ref: list(field)}, true
	case Record:
		return value{kind: kindRecord, ref: field}, true
	case []Record:
		return value{kind: kindRecords, ref: field}, true
	}
	return value{}, false
}
