// Package design stores content blocks, the blocks attached to pages, and the bindings that
// say which block fills a slot of the layout.
package design
