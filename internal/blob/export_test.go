package blob

// Bytes is how much disk the known entries take.
func (c *Cache) Bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known.Weight()
}
