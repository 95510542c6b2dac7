// Package people stores persons (accounts and guests) with their sessions, codes and
// addresses, the members, invitations and API keys of shops, and the customers of shops with
// their groups.
package people
