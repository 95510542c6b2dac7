// Package webhook stores subscriptions to events, numbers the events of each shop, and keeps
// the queue and the journal of deliveries. Events are recorded by store.Tx.RecordEvent and
// QueueEvent in the transaction that causes them.
package webhook
