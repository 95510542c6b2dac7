package edge

import (
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/singleflight"
)

// flights joins those who want the same thing at the same time: one of them
// fetches it, the others take its answer.
type flights struct{ group singleflight.Group }

// do runs fetch once among all callers with the same key. A panic in it is an
// error for each of them, not the end of the process.
func (f *flights) do(key string, fetch func() (any, error)) (any, error) {
	v, err, _ := f.group.Do(key, func() (v any, err error) {
		defer func() {
			if p := recover(); p != nil {
				v, err = nil, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		return fetch()
	})
	return v, err
}
