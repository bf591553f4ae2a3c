package recall

import (
	"strconv"
	"strings"
	"time"

	"gitvault/internal/entryfile"
)

// A FileRef is one authored file of a scope, as the caller sees it now.
type FileRef struct {
	Path string // in the scope, with slashes
	Hash string // changes whenever the content does, such as the blob's hash
	Load func() ([]entryfile.Entry, error)
}

// Limits on what is asked and answered.
const (
	DefaultLimit = 10
	MaxLimit     = 200
	MaxQuery     = 64 << 10 // bytes of a query that are looked at
	maxTerms     = 96       // words of a query that are searched for, the rarest
)

// Statuses that are derived, besides those an open thread carries itself.
const (
	StatusSuperseded = "superseded"
	StatusExpired    = "expired"
)

// A Query is what somebody looks for. Zero fields ask for nothing in particular.
type Query struct {
	Text   string
	Kinds  []entryfile.Kind
	Tags   []string  // all of them
	Path   string    // a file of the workspace, or a folder of it, that entries are about
	Status string    // as of now, of any kind: open, resolved, superseded or expired
	Since  time.Time // changed at or after
	Until  time.Time // changed before
	Now    time.Time // what expiry dates are compared with; zero: nothing has expired

	// All includes what is no longer current: superseded, expired and resolved
	// entries, and conflict siblings. Asking for a Status does so for those that
	// have it.
	All bool

	Limit  int              // hits at most; 0 is DefaultLimit, never above MaxLimit
	Budget int              // tokens at most, by Tokens; 0 is no bound
	Tokens func(h *Hit) int // what a hit costs

	Explain bool // fill Hit.Explain
	Fit     bool // fill Hit.Fit
}

// A Hit is an entry, or a passage of a session trace, that bears on a query.
type Hit struct {
	Scope   string // as given to Open
	File    string // path of the file that holds the entry
	Entry   entryfile.Entry
	Score   float64 // greater is better; comparable within one answer only
	Passage Passage // the part of the body that fits best
	Snippet string  // one line of it, around what was found
	Why     string  // how it earned its place, in one line
	Caution string  // of a failed path that resembles the task: why it failed
	Backend string  // of a hit that is no entry of ours: the source that knows of it

	SupersededBy []string // ids of entries that replace this one
	Expired      bool

	Explain *Explanation
	Fit     Fit
}

// A Passage is a part of an entry's body.
type Passage struct {
	Start int `json:"start"` // bytes of Entry.Body
	End   int `json:"end"`
	Line  int `json:"line"` // 1-based line of the body where it begins
}

// Key identifies what a hit points at: an entry, or one passage of a trace.
// Rankings are fused by it.
func (h *Hit) Key() string {
	if h.Backend != "" {
		return strings.Join([]string{"", h.Backend, h.Entry.ID, h.Entry.Title, h.Entry.Body}, "\x00")
	}
	k := h.Scope + "\x00" + h.Entry.ID
	if h.Entry.Kind == entryfile.SessionTrace {
		k += "\x00" + strconv.Itoa(h.Passage.Start)
	}
	return k
}

// A Result is the answer to a query.
type Result struct {
	Hits    []Hit
	Omitted int // hits that matched but passed the limit or the budget
	Tokens  int // what the hits cost, by Query.Tokens
	Least   int // what the cheapest hit costs that passed the budget; 0 if none did
}

// Pass counts a hit that costs more than there is left.
func (r *Result) Pass(cost int) {
	if r.Least == 0 || cost < r.Least {
		r.Least = cost
	}
}

// An Explanation says how a hit earned its place.
type Explanation struct {
	Terms []TermScore `json:"terms"` // those that weigh most first
	Parts []Part      `json:"parts"` // what the score is made of
}

// A TermScore is a word of the query that a hit has.
type TermScore struct {
	Term   string   `json:"term"`            // as written in the query
	Found  []string `json:"found,omitempty"` // words of the entry that stand for it, where they differ
	Fields []string `json:"fields"`          // "title", "tags", "description", "body", "around it", "elsewhere in the body"
	Weight float64  `json:"weight"`          // by its rarity
}

// A Part is what one way of looking at an entry found it worth: its title, its
// best passage, its second best, its beginning, the whole of it.
type Part struct {
	Name  string  `json:"name"`
	Score float64 `json:"score"`
}
