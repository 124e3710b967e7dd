package model

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"cairn/engine"
)

// DefaultAddress is where Ollama listens unless told otherwise.
const DefaultAddress = "http://127.0.0.1:11434"

// Address is a server's address, ready to dial.
type Address struct {
	URL      string // scheme, host, port and path, without a slash at the end
	Host     string // host:port for messages
	Loopback bool   // false: what is sent leaves this computer
}

// ParseAddress reads an address the way Ollama reads OLLAMA_HOST: no scheme
// means port 11434, http:// alone means 80, https:// means 443. An address to
// listen on (0.0.0.0, ::) becomes the loopback address to dial. The empty
// string is DefaultAddress.
func ParseAddress(s string) (Address, error) {
	s = strings.Trim(strings.TrimSpace(s), `"'`)
	scheme, rest, found := strings.Cut(s, "://")
	port := "11434"
	switch {
	case !found:
		scheme, rest = "http", s
	case scheme == "http":
		port = "80"
	case scheme == "https":
		port = "443"
	default:
		return Address{}, badAddress(s)
	}
	hostport, path, _ := strings.Cut(rest, "/")
	if strings.ContainsAny(hostport, " \t@?#%") {
		return Address{}, badAddress(s)
	}
	host := hostport
	if h, p, err := net.SplitHostPort(hostport); err == nil {
		host = h
		n, err := strconv.ParseUint(p, 10, 16)
		if err == nil && n > 0 { // like Ollama, an impossible port is the default one
			port = strconv.FormatUint(n, 10)
		}
	}
	host = strings.Trim(host, "[]")
	if host == "" {
		host = "127.0.0.1"
	}
	loopback := strings.EqualFold(host, "localhost")
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.IsUnspecified() {
			ip = netip.MustParseAddr("127.0.0.1")
			if strings.Contains(host, ":") {
				ip = netip.IPv6Loopback()
			}
			host = ip.String()
		}
		loopback = ip.Unmap().IsLoopback()
	} else if strings.Contains(host, ":") {
		return Address{}, badAddress(s)
	}
	u := url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port), Path: strings.Trim(path, "/")}
	if u.Path != "" {
		u.Path = "/" + u.Path
	}
	return Address{URL: u.String(), Host: u.Host, Loopback: loopback}, nil
}

func badAddress(s string) error {
	return &engine.Error{
		Kind: engine.KindUsage,
		What: fmt.Sprintf("%q is not an address at which Ollama could be.", clip(s, 100)),
		Safe: "Nothing was sent.",
		Do:   "Write it like 127.0.0.1:11434.",
	}
}

// Warning is something a person should know before trusting a server or model.
type Warning struct {
	Code string `json:"code"` // stable, for tests and records
	Text string `json:"text"`
}

// Warning says that the address is another computer's, or nothing.
func (a Address) Warning() (Warning, bool) {
	if a.Loopback {
		return Warning{}, false
	}
	return Warning{
		Code: "not_loopback",
		Text: fmt.Sprintf("Ollama at %s is on another computer: the text of your sources is sent to it over the network.", a.Host),
	}, true
}
