//go:build !race

// Package race says whether the race detector is on. With it, a sync.Pool forgets a part of
// what it is given, so limits of tests on allocated memory must be larger.
package race

// MemoryFactor is how much more memory than usual a test may allocate.
const MemoryFactor = 1
