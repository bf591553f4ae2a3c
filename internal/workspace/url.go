package workspace

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"path"
	"runtime"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// address is what a remote's URL says: a key that is the same however the URL
// was spelled, or a path on this machine.
type address struct {
	Key   string
	Local string // as written; relative ones are from the worktree
}

var errURL = errors.New("it cannot be read as one")

// defaultPorts are those that make no difference; the schemes in it say how to
// get there, not what is there.
var defaultPorts = map[string]string{
	"ssh": "22", "git+ssh": "22", "ssh+git": "22", "git": "9418",
	"http": "80", "https": "443", "ftp": "21", "ftps": "990",
}

// sameHost are second names that large hosts give for the same repositories.
var sameHost = map[string]string{
	"ssh.github.com:443":       "github.com",
	"www.github.com":           "github.com",
	"altssh.gitlab.com:443":    "gitlab.com",
	"altssh.bitbucket.org:443": "bitbucket.org",
}

// foldsCase are hosts that take a path in any case.
var foldsCase = map[string]bool{
	"github.com": true, "gitlab.com": true, "bitbucket.org": true, "codeberg.org": true, "dev.azure.com": true,
}

// parseURL normalises a remote's URL after git's own reading of it. Errors do
// not repeat the URL: it may hold a password.
func parseURL(url string) (address, error) { return parseURLOn(runtime.GOOS, url) }

func parseURLOn(system, url string) (address, error) {
	url = strings.TrimSpace(url)
	if url == "" || strings.ContainsFunc(url, unicode.IsControl) {
		return address{}, errURL
	}
	if helper, rest, ok := strings.Cut(url, "::"); ok && isScheme(helper) {
		return parseHelper(helper, rest)
	}
	if scheme, rest, ok := strings.Cut(url, "://"); ok && isScheme(scheme) {
		return parseFull(strings.ToLower(scheme), rest)
	}
	return parseShort(url, system == "windows")
}

// parseShort reads host:path, and paths.
func parseShort(url string, drives bool) (address, error) {
	colon := strings.IndexByte(url, ':')
	host, rest := "", ""
	if open := strings.IndexByte(url, '['); open >= 0 && (open == 0 || url[open-1] == '@') && !strings.Contains(url[:open], "/") {
		// [host]:path, [host:port]:path, user@[host]:path
		end := strings.Index(url[open:], "]:")
		if end < 0 {
			return address{}, errURL
		}
		host, rest = url[open+1:open+end], url[open+end+2:]
		if strings.Count(host, ":") > 1 {
			host = "[" + host + "]"
		}
		return fromParts("ssh", host, rest, false)
	}
	if colon < 0 || strings.Contains(url[:colon], "/") || isDrive(url) && (drives || strings.HasPrefix(url[2:], `\`)) {
		return address{Local: url}, nil
	}
	host, rest = url[:colon], url[colon+1:]
	return fromParts("ssh", host, rest, false)
}

func parseFull(scheme, rest string) (address, error) {
	if scheme == "file" {
		return parseFile(rest)
	}
	authority, tail := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		authority, tail = rest[:i], rest[i:]
	}
	return fromParts(scheme, authority, tail, true)
}

// parseFile reads what follows file://.
func parseFile(rest string) (address, error) {
	host, tail := "", rest
	if !strings.HasPrefix(rest, "/") {
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			return address{}, errURL
		}
		host, tail = rest[:i], rest[i:]
	}
	tail = unescape(tail)
	switch {
	case isDrive(host): // file://C:/x
		return address{Local: host + tail}, nil
	case host != "" && !strings.EqualFold(host, "localhost"):
		return address{Local: "//" + host + tail}, nil
	case len(tail) > 1 && isDrive(tail[1:]): // file:///C:/x
		return address{Local: tail[1:]}, nil
	}
	return address{Local: tail}, nil
}

// parseHelper reads helper::address. An address that is a plain URL says what
// is there; else the helper's name is part of the key.
func parseHelper(helper, rest string) (address, error) {
	scheme, after, ok := strings.Cut(rest, "://")
	if !ok || !isScheme(scheme) {
		// Such an address may be a whole command line.
		return address{Key: strings.ToLower(helper) + "::" + hash(rest, 12)}, nil
	}
	if _, known := defaultPorts[strings.ToLower(scheme)]; known || strings.EqualFold(scheme, "file") {
		return parseFull(strings.ToLower(scheme), after)
	}
	a, err := parseFull(strings.ToLower(scheme), after)
	if err == nil {
		a.Key = strings.ToLower(helper) + "::" + a.Key
	}
	return a, err
}

// fromParts builds the key. Only full URLs have percent-encoding and, after
// http, a query.
func fromParts(scheme, authority, tail string, full bool) (address, error) {
	defaultPort, network := defaultPorts[scheme]
	query := ""
	if full {
		if scheme == "http" || scheme == "https" {
			tail, _, _ = strings.Cut(tail, "#")
			tail, query, _ = strings.Cut(tail, "?")
		}
		tail = unescape(tail)
	}
	host, err := hostOf(authority, defaultPort, full)
	if err != nil {
		return address{}, err
	}
	if same, ok := sameHost[host]; ok {
		host = same
	}
	tail = pathOf(tail)
	host, tail = azure(host, tail)
	if foldsCase[host] {
		tail = strings.ToLower(tail)
	}
	key := host
	if tail != "" {
		key += "/" + tail
	}
	if query != "" {
		key += "?" + hash(query, 12) // it may hold a token
	}
	if !network {
		key = scheme + "://" + key
	}
	return address{Key: oneLine(key)}, nil
}

// hostOf drops user names, passwords and the default port.
func hostOf(authority, defaultPort string, full bool) (string, error) {
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority = authority[i+1:]
	}
	host, port := authority, ""
	if strings.HasPrefix(authority, "[") {
		end := strings.IndexByte(authority, ']')
		if end < 0 {
			return "", errURL
		}
		host, port = authority[1:end], authority[end+1:]
		if port != "" && port[0] != ':' {
			return "", errURL
		}
		port = strings.TrimPrefix(port, ":")
		address, zone, _ := strings.Cut(host, "%")
		ip := net.ParseIP(address)
		if ip == nil {
			return "", errURL
		}
		host = ip.String()
		if zone != "" {
			host += "%" + strings.TrimPrefix(zone, "25")
		}
	} else if i := strings.LastIndexByte(authority, ':'); i >= 0 {
		host, port = authority[:i], authority[i+1:]
		if full {
			host = unescape(host)
		}
	}
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return "", errURL
		}
		port = strconv.FormatUint(n, 10)
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "" || strings.ContainsAny(host, "/@") || strings.ContainsFunc(host, unicode.IsControl) {
		return "", errURL
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" && port != defaultPort {
		host += ":" + port
	}
	return host, nil
}

// pathOf makes one spelling of a repository's path on its host: the server's
// root and the user's folder there are not told apart.
func pathOf(p string) string {
	p = strings.TrimPrefix(path.Clean("/"+p), "/")
	if trimmed := strings.TrimSuffix(p, ".git"); trimmed != "" {
		p = strings.TrimSuffix(trimmed, "/")
	}
	return p
}

// azure brings Azure DevOps' two spellings of one repository together.
func azure(host, p string) (string, string) {
	switch {
	case host == "dev.azure.com":
		parts := strings.Split(p, "/")
		switch {
		case len(parts) == 4 && parts[2] == "_git":
			p = path.Join(parts[0], parts[1], parts[3])
		case len(parts) == 3 && parts[1] == "_git": // the project's repository of the same name
			p = path.Join(parts[0], parts[2], parts[2])
		}
	case host == "ssh.dev.azure.com" || host == "vs-ssh.visualstudio.com":
		if rest, ok := strings.CutPrefix(p, "v3/"); ok {
			return "dev.azure.com", unescape(rest) // also in the short form
		}
	case strings.HasSuffix(host, ".visualstudio.com"):
		rest := strings.TrimPrefix(p, "DefaultCollection/")
		return azure("dev.azure.com", strings.TrimSuffix(host, ".visualstudio.com")+"/"+rest)
	}
	return host, p
}

// unescape undoes percent-encoding where that gives text, and keeps an encoded
// slash, which is part of a name.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil && c != '/' && c >= ' ' && c != 0x7f {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	if !utf8.ValidString(b.String()) {
		return s
	}
	return b.String()
}

func isScheme(s string) bool {
	for i, c := range []byte(s) {
		alpha := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !alpha && (i == 0 || !('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.')) {
			return false
		}
	}
	return s != ""
}

// isDrive tells what starts as a Windows path does; elsewhere it may be a host
// of one letter.
func isDrive(s string) bool {
	return len(s) >= 2 && s[1] == ':' && 'a' <= s[0]|0x20 && s[0]|0x20 <= 'z'
}

func hash(s string, n int) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(s)))[:n]
}
