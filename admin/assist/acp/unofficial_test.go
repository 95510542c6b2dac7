//go:build !official

package acp_test

// officially checks an answer against the published schemas, which are only at hand with the tag
// official.
func officially(string, any) error { return nil }
