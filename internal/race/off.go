//go:build !race

// Package race says whether the race detector is on. With it, a sync.Pool forgets a part of
// what it is given, and the program is several times slower, so tests need larger limits.
package race

// MemoryFactor is how much more memory than usual a test may allocate.
const MemoryFactor = 1

// TimeFactor is how much longer than usual a test may wait.
const TimeFactor = 1
