package render

import "reflect"

// Pictures are all pictures that a page shows, wherever they stand on it, so
// that what is known about them (size, colour) is added in one place before the
// page is drawn, whoever has put them there. Pictures of other hosts are among
// them.
func Pictures(p Page) []*Image {
	var all []*Image
	gather(reflect.ValueOf(p), &all)
	return all
}

var imageType = reflect.TypeFor[Image]()

// gather looks into the values of this package; others hold no pictures.
func gather(v reflect.Value, all *[]*Image) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			gather(v.Elem(), all)
		}
	case reflect.Slice:
		if k := v.Type().Elem().Kind(); k != reflect.Struct && k != reflect.Pointer && k != reflect.Interface {
			return
		}
		for i := range v.Len() {
			gather(v.Index(i), all)
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
				gather(v.Field(i), all)
			}
		}
	}
}
