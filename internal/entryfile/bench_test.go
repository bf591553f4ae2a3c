package entryfile

import (
	"fmt"
	"strings"
	"testing"
)

// ledgerOf makes a ledger of n entries of about 1 KB.
func ledgerOf(n int) *Document {
	d := Parse(Decision, "decisions.md", nil)
	for i := range n {
		if err := d.Append(sampleEntry(i)); err != nil {
			panic(err)
		}
	}
	return d
}

func sampleEntry(i int) Entry {
	paragraph := fmt.Sprintf("We keep number %d in one place, because two copies drift apart. ", i)
	return Entry{
		Kind: Decision, ID: DerivedID(Decision, "sample", i), Title: fmt.Sprintf("Keep number %d in one place", i),
		Created: "2026-11-30T19:27:00Z", Source: "claude-code", Tags: []string{"git", "storage"},
		Body: strings.Repeat(paragraph, 5) + "\n\n- a list\n- of `things`\n\n```go\nfunc f() {}\n```\n\n" + strings.Repeat(paragraph, 7),
	}
}

func BenchmarkParse1000(b *testing.B) {
	data := ledgerOf(1000).Bytes()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(Decision, "decisions.md", data)
	}
}

func BenchmarkAppend(b *testing.B) {
	data := ledgerOf(200).Bytes()
	e := sampleEntry(1000)
	b.ReportAllocs()
	for b.Loop() {
		d := Parse(Decision, "decisions.md", data)
		if err := d.Append(e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	data := ledgerOf(1000).Bytes()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		topHeadings(data)
	}
}

func BenchmarkParseFile(b *testing.B) {
	e := sampleEntry(1)
	e.Kind = Preference
	data, err := Print(e)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		Parse(Preference, "preferences/x.md", data)
	}
}
