package backends

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"gitvault/internal/fsys"
	"gitvault/internal/recall"
)

// Bounds on what is sent to an embeddings endpoint.
const (
	maxEmbed   = 8 << 10 // bytes of one text
	embedBatch = 64      // texts in one request
)

// vectors ranks entries by how near their vectors are to the query's.
type vectors struct {
	config Config
	world  World
}

func (v vectors) Recall(ctx context.Context, q recall.Query) ([]recall.Hit, error) {
	entries, err := v.world.Entries(ctx)
	if err != nil {
		return nil, err
	}
	store := openStore(v.world.Cache, v.config.URL, v.config.Model)
	if err := v.fill(ctx, store, entries); err != nil {
		return nil, err
	}
	want, err := v.embed(ctx, []string{q.Text})
	if err != nil {
		return nil, err
	}
	out := make([]recall.Hit, 0, len(entries))
	for _, h := range entries {
		have, _ := store.get(embedText(h))
		if near, ok := cosine(want[0], have); ok {
			h.Score = near
			out = append(out, h)
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		if out[i].Score != out[j].Score {
			return out[i].Score > out[j].Score
		}
		return out[i].Entry.ID < out[j].Entry.ID
	})
	return out[:min(len(out), limitOf(q))], nil
}

// fill asks for the vectors that are not known yet. What has been answered is
// kept even where the deadline ends it half way: the next query goes on there.
func (v vectors) fill(ctx context.Context, store *store, entries []recall.Hit) error {
	var missing []string
	for _, h := range entries {
		if _, ok := store.get(embedText(h)); !ok {
			missing = append(missing, embedText(h))
		}
	}
	total := len(missing)
	for len(missing) > 0 {
		n := min(embedBatch, len(missing))
		list, err := v.embed(ctx, missing[:n])
		if err != nil {
			store.save()
			return fmt.Errorf("%d of %d entries have no vector yet: %w", len(missing), total, err)
		}
		for i, vec := range list {
			store.put(missing[i], vec)
		}
		missing = missing[n:]
	}
	store.save()
	return nil
}

// embedText is what stands for an entry.
func embedText(h recall.Hit) string {
	e := h.Entry
	text := strings.Join([]string{e.Title, e.Description, strings.Join(e.Tags, " "), e.Body}, "\n")
	return strings.ToValidUTF8(text[:min(len(text), maxEmbed)], "")
}

func (v vectors) embed(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := json.Marshal(map[string]any{"model": v.config.Model, "input": texts})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(v.config.URL, "/")+"/embeddings", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := v.world.authorized(v.config.KeyEnv).Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, 256<<20))
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %.200s", res.Status, strings.Join(strings.Fields(string(data)), " "))
	}
	var answer struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, fmt.Errorf("the answer is no list of embeddings: %w", err)
	}
	out := make([][]float32, len(texts))
	for _, d := range answer.Data {
		if d.Index >= 0 && d.Index < len(out) {
			out[d.Index] = d.Embedding
		}
	}
	for _, vec := range out {
		if len(vec) == 0 {
			return nil, fmt.Errorf("the answer has %d embeddings for %d texts", len(answer.Data), len(texts))
		}
	}
	return out, nil
}

// cosine says how near two vectors are; of one without a direction, or of
// another length, that can't be said.
func cosine(a, b []float32) (float64, bool) {
	if len(a) != len(b) {
		return 0, false
	}
	var dot, na, nb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, na, nb = dot+x*y, na+x*x, nb+y*y
	}
	if na == 0 || nb == 0 {
		return 0, false
	}
	return dot / math.Sqrt(na*nb), true
}

// store keeps vectors by the hash of their text. It may vanish at any moment.
type store struct {
	path  string
	known map[[sha256.Size]byte][]float32
	used  map[[sha256.Size]byte]bool
	fresh bool
}

const storeHeader = "vault vectors 1\n"

func openStore(dir, url, model string) *store {
	s := &store{known: map[[sha256.Size]byte][]float32{}, used: map[[sha256.Size]byte]bool{}}
	if dir == "" {
		return s
	}
	name := sha256.Sum256([]byte(url + "\x00" + model))
	s.path = filepath.Join(dir, "vectors-"+hex.EncodeToString(name[:6]))
	data, err := fsys.ReadPlain(s.path)
	if err != nil || len(data) < len(storeHeader)+sha256.Size || string(data[:len(storeHeader)]) != storeHeader {
		return s
	}
	data = data[len(storeHeader):]
	if sha256.Sum256(data[sha256.Size:]) != [sha256.Size]byte(data[:sha256.Size]) {
		return s
	}
	s.decode(data[sha256.Size:])
	return s
}

func (s *store) decode(data []byte) {
	for len(data) >= sha256.Size+4 {
		key := [sha256.Size]byte(data)
		n := int(binary.LittleEndian.Uint32(data[sha256.Size:]))
		data = data[sha256.Size+4:]
		if n > len(data)/4 {
			return
		}
		vec := make([]float32, n)
		for i := range vec {
			vec[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
		s.known[key] = vec
		data = data[4*n:]
	}
}

func (s *store) get(text string) ([]float32, bool) {
	key := sha256.Sum256([]byte(text))
	vec, ok := s.known[key]
	if ok {
		s.used[key] = true
	}
	return vec, ok
}

func (s *store) put(text string, vec []float32) {
	key := sha256.Sum256([]byte(text))
	s.known[key], s.used[key], s.fresh = vec, true, true
}

// save writes the vectors that are still of use. That it can't is no error.
func (s *store) save() {
	if s.path == "" || !s.fresh {
		return
	}
	var body []byte
	for key, vec := range s.known {
		if !s.used[key] {
			continue
		}
		body = append(body, key[:]...)
		body = binary.LittleEndian.AppendUint32(body, uint32(len(vec)))
		for _, x := range vec {
			body = binary.LittleEndian.AppendUint32(body, math.Float32bits(x))
		}
	}
	sum := sha256.Sum256(body)
	tmp, err := os.CreateTemp(filepath.Dir(s.path), "vectors-*")
	if err != nil {
		return
	}
	_, err = tmp.Write(append(append([]byte(storeHeader), sum[:]...), body...))
	if cerr := tmp.Close(); err == nil && cerr == nil && os.Rename(tmp.Name(), s.path) == nil {
		return
	}
	_ = os.Remove(tmp.Name())
}
