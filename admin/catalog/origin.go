package catalog

import (
	"net/url"
	"strings"
)

// credential is where a provider has the secret that goes to the host of its base_url. Who may write a
// provider may not read that secret, and so must not be able to have it sent to a host of their choice.
const credential = "/auth/secret"

// sameOrigin reports whether two base URLs lead to one scheme, host and port. Of URLs that are not
// understood only equal ones do.
func sameOrigin(a, b any) bool {
	x, isString := a.(string)
	y, areStrings := b.(string)
	if !isString || !areStrings {
		return false
	}
	of, understood := origin(x)
	other, both := origin(y)
	return x == y || understood && both && of == other
}

func origin(raw string) (string, bool) {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" {
		return "", false
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + "|" + port, true
}
