package gitstore

import (
	"bytes"
	"compress/zlib"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What is stored comes back, here as in any other reader of the format; where a
// byte is damaged it is not taken for what was stored.
func TestStoredBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{0, 1, 100, 0xfffe, 0xffff, 0x10000, 0x20003}).Draw(t, "size")
		whole := bytes.Repeat([]byte("vault "), size/6+1)[:size]
		cut := rapid.IntRange(0, size).Draw(t, "cut")
		file := storeZlib(whole[:cut], whole[cut:])

		got, ok := unstore(file)
		require.True(t, ok)
		require.True(t, bytes.Equal(whole, got))
		z, err := zlib.NewReader(bytes.NewReader(file))
		require.NoError(t, err)
		other, err := io.ReadAll(z)
		require.NoError(t, err)
		require.True(t, bytes.Equal(whole, other))

		damaged := bytes.Clone(file)
		damaged[rapid.IntRange(0, len(file)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		_, ok = unstore(damaged)
		require.False(t, ok)
		_, ok = unstore(file[:rapid.IntRange(0, len(file)-1).Draw(t, "length")])
		require.False(t, ok)
	})
}
