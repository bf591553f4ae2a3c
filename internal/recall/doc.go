// Package recall finds the entries that bear on a task, by their words.
//
// The words of a query are alternatives: an entry that has more of them, rarer
// ones, and in better places (title, tags, description) comes earlier. Long
// bodies are judged by their best passage, session traces passage by passage
// with help from the passages around. Nothing is forced: a word counts most as
// it was written, less by its stem, its parts or a likely misspelling.
//
// What is read from the files is kept in a disposable index (see Open). Losing
// or damaging it costs time, never an answer.
package recall
