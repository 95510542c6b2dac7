package docs

// Needs returns the endpoints that guides need.
func Needs() (list []string) {
	for _, g := range guides {
		list = append(list, g.Needs...)
	}
	return list
}
