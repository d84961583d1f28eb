package dev

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// listeners are all the ports of a Run.
type listeners struct {
	admin, proxy, status, fast, slow net.Listener
}

// listen opens every port or none.
func listen(cfg Config) (l listeners, err error) {
	wanted := []struct {
		into                *net.Listener
		what, address, flag string
	}{
		{&l.proxy, "the proxy", cfg.ProxyListen, "--proxy-listen"},
		{&l.status, "the proxy's status", cfg.StatusListen, "--status-listen"},
		{&l.admin, "the admin service", cfg.AdminListen, "--admin-listen"},
		{&l.fast, fastName, cfg.DemoFastListen, "--demo-fast-listen"},
		{&l.slow, slowName, cfg.DemoSlowListen, "--demo-slow-listen"},
	}
	for _, w := range wanted {
		if *w.into, err = net.Listen("tcp", w.address); err != nil {
			l.close()
			return l, portError(err, w.what, w.address, w.flag)
		}
	}
	return l, nil
}

func portError(err error, what, address, flag string) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s is taken by another program, so %s cannot listen there: stop that program or choose another address with %s", address, what, flag)
	}
	return fmt.Errorf("%s (%s): %w", what, flag, err)
}

// close closes what is open. Closing what a server has closed already is not an error.
func (l listeners) close() {
	for _, one := range []net.Listener{l.proxy, l.status, l.admin, l.fast, l.slow} {
		if one != nil {
			_ = one.Close()
		}
	}
}

// url returns where a client on this machine reaches l.
func url(l net.Listener) string {
	address, ok := l.Addr().(*net.TCPAddr)
	if ok && address.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", address.Port)
	}
	return "http://" + l.Addr().String()
}
