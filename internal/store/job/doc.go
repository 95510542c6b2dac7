// Package job stores work that takes longer than a call: its queue, its progress and its result.
//
// A worker claims a job by a lease and extends it while it works. Each statement of the worker
// names its claim, so a worker that lost the job, because it was too slow or because the job was
// stopped, changes nothing any more: no half result becomes one that is done.
//
// A job may write a file. The row refers to the object before the object is visible, so it is never
// collected in between.
package job
