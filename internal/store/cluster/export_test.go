package cluster

// Dir returns the home of the cluster: an absolute path, the folder pg of the data dir or
// the place to which it was relocated.
func (c *Cluster) Dir() string { return c.home.path }

// Alive reports whether a server runs on the cluster. False after a Start means that it
// died; the next Start recovers it.
func (c *Cluster) Alive() (bool, error) { return c.home.running() }
