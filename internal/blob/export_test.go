package blob

// Bytes returns the disk usage of the known entries.
func (c *Cache) Bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known.Weight()
}
