package cluster

// Dir is the home of the cluster: an absolute path, the folder pg of the data
// dir or the place it had to move to.
func (c *Cluster) Dir() string { return c.home.path }

// Alive reports whether a server runs on the cluster. False after a Start means
// that it died; the next Start recovers it.
func (c *Cluster) Alive() (bool, error) { return c.home.running() }
