package workspace

// RemoteURLs lists the URLs of the repository's remotes as its configuration
// writes them; none outside a repository.
func (id Identity) RemoteURLs() []string {
	if id.repo == nil {
		return nil
	}
	cfg, err := id.options.config(id.repo)
	if err != nil {
		return nil
	}
	var urls []string
	for _, r := range cfg.Remotes() {
		urls = append(urls, r.URLs...)
	}
	return urls
}

// KeyOf is the project that a remote's URL names, however it is spelled: "" for
// a path on this machine, or what is no URL.
func KeyOf(url string) string {
	a, err := parseURL(url)
	if err != nil {
		return ""
	}
	return a.Key
}
