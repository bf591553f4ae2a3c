// Package generate derives what is shown from entries: INDEX.md, the context
// block an agent gets at the start of a turn, and estimates of what a text
// costs in tokens. Its functions are pure: the same input gives the same bytes
// on every machine, without clock, environment or files.
package generate
