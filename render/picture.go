package render

import "reflect"

// Pictures returns all pictures of a page, including those of other hosts, so that their
// known data (size, colour) can be added in one place before the page is drawn.
func Pictures(p Page) []*Image {
	var all []*Image
	collectImages(reflect.ValueOf(p), &all)
	return all
}

var imageType = reflect.TypeFor[Image]()

// collectImages visits the values of this package's types; others contain no pictures.
func collectImages(v reflect.Value, all *[]*Image) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			collectImages(v.Elem(), all)
		}
	case reflect.Slice:
		if k := v.Type().Elem().Kind(); k != reflect.Struct && k != reflect.Pointer && k != reflect.Interface {
			return
		}
		for i := range v.Len() {
			collectImages(v.Index(i), all)
		}
	case reflect.Struct:
		if v.Type() == imageType {
			if v.CanAddr() && v.Field(0).String() != "" {
				*all = append(*all, v.Addr().Interface().(*Image))
			}
			return
		}
		if v.Type().PkgPath() != imageType.PkgPath() {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				collectImages(v.Field(i), all)
			}
		}
	}
}
