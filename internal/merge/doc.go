// Package merge merges by entry: single entries, the bytes of a ledger, and
// whole sets of files, for sync, for adopting a person's edits, and for taking
// a change back. It is pure: the same inputs give the same bytes.
package merge
