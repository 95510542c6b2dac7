// Package letter stores the queue of letters: those of shops to their buyers and owners, and
// those of the platform about accounts. It also stores templates, signing domains and
// bounces.
//
// Letters are queued by store.Tx.QueueLetters in the transaction that causes them. Workers
// claim them here with a lease.
package letter
