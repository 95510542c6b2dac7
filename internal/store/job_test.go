package store_test

import (
	"errors"
	"testing"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/job"
	"vitrine/internal/store/people"
	"vitrine/internal/store/storetest"
)

// A job whose shop does not exist yet is visible to the person who began it, in whatever shop they
// act, and to no other person.
func TestAJobWithoutAShopBelongsToItsPerson(t *testing.T) {
	t.Parallel()
	ctx, now := t.Context(), time.Now()
	s, err := store.Open(ctx, storetest.URL(t, store.Migrate))
	check(t, err)
	t.Cleanup(s.Close)
	theirs := newShop(t, s, "theirs")
	begin := func(person shop.UserID) (j job.Job, err error) {
		err = s.Write(ctx, 0, func(tx *store.Tx) (err error) {
			j, err = job.Begin(ctx, tx, job.New{Person: person, Kind: "copy", Input: "x"}, now)
			return err
		})
		return j, err
	}
	var persons []shop.UserID
	for _, email := range []string{"ann@people.test", "ben@people.test"} {
		id, err := people.CreatePerson(ctx, s, email, "", "-")
		check(t, err)
		persons = append(persons, id)
	}
	var jobs []job.Job
	for range job.MaxAtOnce {
		j, err := begin(persons[0])
		check(t, err)
		jobs = append(jobs, j)
	}
	if _, err := begin(persons[0]); !errors.Is(err, job.ErrLimit) {
		t.Errorf("one more: %v", err)
	}
	if _, err := begin(persons[1]); err != nil {
		t.Errorf("the jobs of one person prevent another from beginning theirs: %v", err)
	}
	for _, c := range []struct {
		company shop.CompanyID
		person  shop.UserID
		want    error
	}{{0, persons[0], nil}, {theirs, persons[0], nil}, {0, persons[1], job.ErrNotFound}, {theirs, persons[1], job.ErrNotFound}} {
		if _, err := job.Get(ctx, s.Shop(c.company), c.person, jobs[0].ID); !errors.Is(err, c.want) {
			t.Errorf("person %d in shop %d: %v", c.person, c.company, err)
		}
	}
	// Nobody else can stop it.
	err = s.Write(ctx, theirs, func(tx *store.Tx) error {
		_, err := job.Stop(ctx, tx, persons[1], jobs[0].ID, "stopped", now)
		return err
	})
	if j, gerr := job.Get(ctx, s.Shop(0), persons[0], jobs[0].ID); !errors.Is(err, job.ErrNotFound) || gerr != nil || j.State != job.Queued {
		t.Errorf("somebody else stopped a job: %v, %+v, %v", err, j, gerr)
	}
	claimed, err := job.Claim(ctx, s, []job.Kind{"copy"}, now, now.Add(time.Minute), 10)
	if err != nil || len(claimed) != 2 || claimed[0].Person == claimed[1].Person {
		t.Errorf("%v are claimed instead of one job of each person, %v", claimed, err)
	}
	if again, err := job.Claim(ctx, s, []job.Kind{"copy"}, now, now.Add(time.Minute), 10); err != nil || len(again) > 0 {
		t.Errorf("%d jobs are claimed twice, %v", len(again), err)
	}
	if other, err := job.Claim(ctx, s, []job.Kind{"other"}, now.Add(time.Hour), now.Add(2*time.Hour), 10); err != nil || len(other) > 0 {
		t.Errorf("a worker takes %d jobs of a kind that it does not know, %v", len(other), err)
	}
}
