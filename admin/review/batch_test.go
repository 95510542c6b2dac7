package review_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/shop"
)

func TestManyRemarksAreModeratedEachOnItsOwn(t *testing.T) {
	t.Parallel()
	d := open(t)
	ann, ben := d.buyer(), d.buyer()
	one, two := d.reviews(ann, d.product, 5)["id"], d.reviews(ben, d.product, 3)["id"]
	question := d.Result("POST", "/products/"+d.product+"/questions", ann, m{"company_id": d.Shop.ID, "text": "?"})["id"]
	editor := d.Session(d.Member(shop.Editor))
	got := d.OK("PUT", "/reviews/batch", editor, m{"ids": []any{two, question, one, two}, "status": "approved"})
	var list []string
	for _, r := range got["results"].([]any) {
		r := r.(m)
		list = append(list, fmt.Sprint(r["status"], strings.Contains(r["error"].(string), "REVIEW_NOT_FOUND")))
	}
	if strings.Join(list, " ") != "approvedfalse true approvedfalse" && strings.Join(list, " ") != "approved false  true approved false" || got["failed"] != 1.0 {
		t.Errorf("%q: %v", list, got)
	}
	if p := d.Result("GET", "/products/"+d.product, d.API.Owner, nil); p["rating"] != 4.0 || p["rating_count"] != 2.0 {
		t.Errorf("rating %v of %v", p["rating"], p["rating_count"])
	}
	d.OK("PUT", "/questions/batch", d.API.Owner, m{"ids": []any{question}, "status": "approved"})
	if got := d.list("", fmt.Sprintf("/products/%s/questions?company_id=%d", d.product, d.Shop.ID)); len(got) != 1 {
		t.Errorf("%d questions are shown", len(got))
	}
	d.Refused("PUT", "/reviews/batch", d.API.Owner, m{"ids": []any{one}, "status": "liked"}, 400, "REVIEW_STATUS_INVALID")
	d.Refused("PUT", "/reviews/batch", d.API.Owner, m{"ids": []any{}, "status": "approved"}, 400, "INVALID_REQUEST")
	d.Refused("PUT", "/reviews/batch", d.API.Owner, m{"ids": make([]int, 101), "status": "approved"}, 400, "INVALID_REQUEST")
	d.Refused("PUT", "/reviews/batch", "", m{"ids": []any{one}, "status": "rejected"}, 401, "UNAUTHENTICATED")
	for _, r := range d.OK("PUT", "/reviews/batch", d.API.Stranger, m{"ids": []any{one}, "status": "rejected"})["results"].([]any) {
		if r.(m)["status"] != "" {
			t.Errorf("another shop rejects: %v", r)
		}
	}
}
