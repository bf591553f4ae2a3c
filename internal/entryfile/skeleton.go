package entryfile

// Skeleton is what a new ledger of the kind begins with; "" for a kind whose
// entries are files.
func Skeleton(k Kind) string { return skeletons[k] }

var skeletons = map[Kind]string{
	Decision: `# Decisions

Choices that should outlive a session, with their why.
`,
	Convention: `# Conventions

Rules of this code base, or of this person's way of working.
`,
	FailedPath: `# Failed paths

What was tried and must not be repeated blindly, and why it failed.
`,
	OpenThread: `# Open threads

Unresolved questions and blockers.
`,
}
