//go:build race

package race

// MemoryFactor is how much more memory than usual a test may allocate.
const MemoryFactor = 4

// TimeFactor is how much longer than usual a test may wait.
const TimeFactor = 10
