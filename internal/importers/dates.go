package importers

import (
	"strings"
	"time"

	"gitvault/internal/entryfile"
)

// layouts are the ways in which the sources write dates. One without a zone is
// taken as UTC.
var layouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 MST",
	"2006-01-02 15:04:05", "2006-01-02 15:04 MST", "2006-01-02 15:04", time.DateOnly, "2006/01/02", "2006.01.02", "20060102",
	"January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006", "02-Jan-2006", "January 2 2006", time.RFC1123Z, time.RFC1123, time.RFC850, time.ANSIC,
}

// date reads a date and returns it as entries carry it, "" if it cannot. A
// time zone that is only a name, other than UTC's, is not understood: the same
// letters mean different zones.
func date(s string) string {
	s = strings.Trim(strings.TrimSpace(s), `"'()[]{}`)
	if len(s) < 8 || len(s) > 40 {
		return ""
	}
	for _, layout := range layouts {
		t, err := time.Parse(layout, s)
		if err != nil || t.Year() < 1970 || t.Year() > 9999 {
			continue
		}
		if name, offset := t.Zone(); strings.Contains(layout, "MST") && offset == 0 && name != "UTC" && name != "GMT" && name != "" {
			return ""
		}
		return entryfile.Stamp(t)
	}
	return ""
}

// unixDate is the date of a number of seconds, or of milliseconds where it is
// too large for that; "" for none.
func unixDate(seconds int64) string {
	if seconds > 1e11 {
		seconds /= 1000
	}
	if seconds <= 0 || seconds > 253402300799 {
		return ""
	}
	return entryfile.Stamp(time.Unix(seconds, 0))
}

// dated sets a date of a record, or notes that it could not be read.
func (r *Record) dated(field *string, name, value string) {
	if strings.TrimSpace(value) == "" {
		return
	}
	if *field = date(value); *field == "" {
		r.Notes = append(r.Notes, name+" could not be read as a date: "+entryfile.Shorten(oneLine(value), 60))
	}
}

// end says that a record is no longer current in its source.
func (r *Record) end(why, when string) {
	r.Ended = why
	if when != "" {
		r.Entry.Expires = when
	}
}
