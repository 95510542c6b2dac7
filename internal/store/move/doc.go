// Package move copies a shop from one installation into another while it sells, with the ids of its
// rows. The shop and its people get the ids of the other installation.
//
// Each pass reads the shop as of one moment and brings the copy to that state: the first pass copies all
// rows, and each later one those that transactions have written since the pass before, as their xmin
// says. Rows that the shop no longer has are found by comparing keys where the numbers of rows differ.
// The last pass runs while no write of the shop is committed (shop_writes, migration 0181) and no account
// changes. Then the copy is compared with the original by numbers and hashes of rows, the shop is marked
// as gone at the one installation and as arrived at the other.
//
// Everything that a move knows is in rows, so that after any interruption another call goes on: what was
// copied stays, the pass that was interrupted is repeated, and a shop that has gone arrives.
package move
