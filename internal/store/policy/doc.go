// Package policy stores access policies: which sections, products and articles they close,
// and the passwords and customer groups that open them.
package policy
