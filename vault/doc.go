// Package vault is memory for AI agents and the people who work with them,
// as plain Markdown in git.
//
// A [Home] holds one user scope and one scope for each project; each [Scope]
// is a git repository. Every change to a scope is one commit, made through one
// path that locks, recovers, adopts hand edits, checks, prints and commits;
// reading takes no lock and never waits.
//
// The package reads neither the environment nor the clock nor a terminal: what
// it needs of those comes in through [Options].
package vault
