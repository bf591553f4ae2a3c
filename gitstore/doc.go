// Package gitstore keeps one git repository of small text files: it makes it,
// commits to it so that an acknowledged commit survives a crash of the program
// or the machine, gives consistent snapshots to readers that never wait, and
// reads its history. It writes objects, refs, journal and index itself, in
// git's formats and by git's locking protocol, so that plain git can work in
// the same repository at the same time. It knows nothing of what the files
// mean.
//
// A write goes
//
//	repo, err := gitstore.Init(dir, options, first) // or Open
//	tx, err := repo.Begin(ctx)                      // waits for its turn
//	defer tx.Close()
//	view, err := tx.View()                          // what is there, hand edits included
//	out, err := tx.Commit(change)                   // durable when it returns
//
// and a read goes
//
//	view, err := repo.View(ctx)
//	data, err := view.Read("decisions.md")
//
// No function of this package reads the environment, the clock or the
// terminal, and none runs git.
package gitstore
