package resizer

import (
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"

	"vitrine/internal/await"
	"vitrine/internal/shop"
)

// A shop that asks for many pictures neither fills the queue nor delays the picture of another shop by
// more than the one that is being made.
func TestPicturesAreMadeInTurnsOfShops(t *testing.T) {
	var mu sync.Mutex
	var made []shop.CompanyID
	p := newPool([]*decoder{{}}, 40)
	defer p.close()
	began, hold := make(chan struct{}, 100), make(chan struct{})
	ask := func(company shop.CompanyID, n int) chan error {
		ended := make(chan error, 1)
		go func() {
			_, err := p.do(t.Context(), company, strconv.Itoa(int(company))+" "+strconv.Itoa(n), func(*decoder) (outcome, error) {
				mu.Lock()
				made = append(made, company)
				mu.Unlock()
				began <- struct{}{}
				<-hold
				return outcome{}, nil
			})
			ended <- err
		}()
		return ended
	}
	first := ask(1, 0)
	await.Next(t, began)
	var all []chan error
	for n := range 60 {
		all = append(all, ask(1, n+1))
	}
	busy := 0
	until(func() bool { _, waiting, _ := p.load(); return waiting == 18 })
	all = slices.DeleteFunc(all, func(ended chan error) bool {
		select {
		case err := <-ended:
			if !errors.Is(err, ErrBusy) {
				t.Error(err)
			}
			busy++
			return true
		default:
			return false
		}
	})
	other := ask(2, 0)
	until(func() bool { _, waiting, _ := p.load(); return waiting == 19 })
	close(hold)
	for _, ended := range append(all, first, other) {
		if err := await.Next(t, ended); err != nil && !errors.Is(err, ErrBusy) {
			t.Error(err)
		}
	}
	if at := slices.Index(made, 2); at != 1 {
		t.Errorf("the picture of another shop came after %d", at)
	}
}
