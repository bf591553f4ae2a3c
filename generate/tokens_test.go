package generate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The samples were written for this test; their counts are o200k's.
func tokenSamples(t testing.TB) (texts map[string]string, counts map[string]int) {
	t.Helper()
	data, err := os.ReadFile("testdata/tokens/counts.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &counts))
	texts = map[string]string{}
	for name := range counts {
		text, err := os.ReadFile(filepath.Join("testdata/tokens", name))
		require.NoError(t, err)
		texts[name] = strings.ReplaceAll(string(text), "\r\n", "\n")
	}
	return texts, counts
}

func TestEstimateIsNearTheCount(t *testing.T) {
	texts, counts := tokenSamples(t)
	var got, want int
	for name, n := range counts {
		e := EstimateTokens(texts[name])
		ratio := float64(e) / float64(n)
		t.Logf("%-18s %5d bytes %4d tokens, estimated %4d: %.2f", name, len(texts[name]), n, e, ratio)
		assert.Greater(t, ratio, 0.95, name)
		assert.Less(t, ratio, 1.40, name)
		got, want = got+e, want+n
	}
	assert.InDelta(t, 1.15, float64(got)/float64(want), 0.1)
}

func TestEstimateOfLittle(t *testing.T) {
	for text, want := range map[string][2]int{
		"": {0, 0}, "a": {1, 2}, " ": {1, 1}, "\n": {1, 2}, "hello world": {2, 4}, "1234567": {3, 4}, "财": {1, 1}, "\xff\xfe": {2, 5}, "😀": {1, 3},
		"one two three four five six seven eight nine ten": {10, 13}, "HTTPServerConfig": {3, 6}, strings.Repeat("x", 1000): {100, 400},
	} {
		n := EstimateTokens(text)
		assert.True(t, n >= want[0] && n <= want[1], "%q is estimated as %d", text, n)
	}
}

func TestEstimateAddsUpAtLineEnds(t *testing.T) {
	word := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{" ", "\t", "\n", "财务", "ひら", "カナ", "слово", "é", "word", "URL", "123", "...", "<", "\r\n", "😀", "한국"}))
	rapid.Check(t, func(t *rapid.T) {
		var whole string
		var sum int64
		for range rapid.IntRange(1, 6).Draw(t, "lines") {
			line := strings.TrimLeft(strings.Join(rapid.SliceOfN(word, 1, 6).Draw(t, "words"), ""), " \t\r\n") + "x\n"
			if rapid.Bool().Draw(t, "mark") {
				line = strings.TrimSuffix(line, "x\n") + ".\n"
			}
			whole += line
			sum += milliTokens(line)
		}
		if got := milliTokens(whole); got != sum {
			t.Fatalf("%q: %d, its lines %d", whole, got, sum)
		}
	})
}

func FuzzEstimateTokens(f *testing.F) {
	for _, s := range []string{"", "a b", "财务", "\xff", " \n\t", "camelCase HTTP x1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n := EstimateTokens(s); n < 0 || n > 3*len(s) || s != "" && n == 0 {
			t.Fatalf("%d tokens in %d bytes", n, len(s))
		}
	})
}

func BenchmarkEstimateTokens(b *testing.B) {
	texts, _ := tokenSamples(b)
	for name, text := range texts {
		text = strings.Repeat(text, 1+(1<<20)/len(text))[:1<<20]
		b.Run(name, func(b *testing.B) {
			b.SetBytes(1 << 20)
			for b.Loop() {
				EstimateTokens(text)
			}
		})
	}
}
