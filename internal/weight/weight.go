// Package weight estimates the memory that values occupy, for caches that are limited in bytes.
package weight

import (
	"math/bits"
	"reflect"
	"time"
	"unsafe"
)

// Of returns the bytes of everything that a value refers to, in addition to itself. Memory that is
// referred to twice counts once. What functions, channels and the parts of longer strings refer to
// is not seen. It takes about 50 ns per field, so it is not for large values that change often.
func Of(value any) int64 {
	w := walk{seen: map[uintptr]bool{}}
	w.value(reflect.ValueOf(value))
	return w.bytes
}

// String returns the bytes of the content of a string.
func String(s string) int64 { return rounded(int64(len(s))) }

// Map returns the bytes of a map whose keys and elements take so many bytes, without what these
// refer to.
func Map(entries int, each uintptr) int64 {
	const header, group, control = 48, 8, 1
	if entries == 0 {
		return header
	}
	slots := int64(group)
	if entries > group { // at most 7 of 8 slots are used
		slots = 1 << bits.Len(uint(entries*8/7))
	}
	return header + slots*int64(each+control)
}

// rounded is the size of an allocation: sizes come in steps of about an eighth.
func rounded(n int64) int64 {
	if n <= 0 {
		return 0
	}
	step := max(int64(1)<<bits.Len64(uint64(n))>>4, 16)
	return (n + step - 1) / step * step
}

var location = reflect.TypeFor[*time.Location]()

type walk struct {
	bytes int64
	seen  map[uintptr]bool
}

// first reports whether memory has not been counted yet.
func (w *walk) first(at uintptr) bool {
	if at == 0 || w.seen[at] {
		return false
	}
	w.seen[at] = true
	return true
}

// value adds what a value refers to.
func (w *walk) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if s := v.String(); len(s) > 0 && w.first(uintptr(unsafe.Pointer(unsafe.StringData(s)))) {
			w.bytes += String(s)
		}
	case reflect.Pointer:
		if v.Type() == location {
			return // shared by all
		}
		if w.first(v.Pointer()) {
			w.bytes += rounded(int64(v.Type().Elem().Size()))
			w.value(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			if v.Elem().Kind() != reflect.Pointer {
				w.bytes += rounded(int64(v.Elem().Type().Size()))
			}
			w.value(v.Elem())
		}
	case reflect.Slice:
		if w.first(v.Pointer()) {
			w.bytes += rounded(int64(v.Cap()) * int64(v.Type().Elem().Size()))
			w.list(v)
		}
	case reflect.Array:
		w.list(v)
	case reflect.Map:
		if w.first(v.Pointer()) {
			w.bytes += Map(v.Len(), v.Type().Key().Size()+v.Type().Elem().Size())
			for entries := v.MapRange(); entries.Next(); {
				w.value(entries.Key())
				w.value(entries.Value())
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			w.value(v.Field(i))
		}
	}
}

func (w *walk) list(v reflect.Value) {
	switch v.Type().Elem().Kind() {
	case reflect.String, reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
		for i := range v.Len() {
			w.value(v.Index(i))
		}
	}
}
