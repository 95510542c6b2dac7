package main

import (
	"errors"
	"fmt"
	"net"
	"regexp"
)

// podName is what a pod may be called: it is a part of the name of a backend.
var podName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,30}$`)

var errPodName = errors.New("the name of a pod has up to 31 lower-case letters, digits and hyphens")

// checkPods refuses pods that the file cannot name.
func (c *deployCmd) checkPods() error {
	if (c.Hosts == "") != (len(c.Pod) == 0) || c.Hosts != "" && c.What != "haproxy" && c.What != "caddy" {
		return errors.New("--hosts and --pod belong together, and to haproxy or caddy")
	}
	for name, address := range c.Pod {
		if !podName.MatchString(name) {
			return fmt.Errorf("--pod %s: %w", name, errPodName)
		}
		if _, _, err := net.SplitHostPort(address); err != nil {
			return fmt.Errorf("--pod %s: %w", name, err)
		}
	}
	return nil
}
