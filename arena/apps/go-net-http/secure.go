package main

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// secure is where TLS is spoken; port 0: nowhere.
type secure struct {
	port      int
	cert, key string
}

// protocols are HTTP/1.1 and HTTP/2, in the clear by prior knowledge.
func protocols() *http.Protocols {
	spoken := new(http.Protocols)
	spoken.SetHTTP1(true)
	spoken.SetHTTP2(true)
	spoken.SetUnencryptedHTTP2(true)
	return spoken
}

// listen serves until shutdown; what ends it otherwise goes to ended.
func listen(all http.Handler, port int, ended chan<- error) *http.Server {
	server := &http.Server{Addr: fmt.Sprintf(":%d", port), Handler: all, Protocols: protocols()}
	go func() { ended <- server.ListenAndServe() }()
	return server
}

// renewable is a certificate that is read again after SIGHUP; if that fails, the old one stays.
type renewable struct {
	atomic.Pointer[tls.Certificate]
}

func (held *renewable) read(given secure) error {
	pair, err := tls.LoadX509KeyPair(given.cert, given.key)
	if err == nil {
		held.Store(&pair)
	}
	return err
}

// listenSecurely is the same over TLS; HTTP/2 is agreed upon by ALPN.
func listenSecurely(all http.Handler, given secure, ended chan<- error) *http.Server {
	held := new(renewable)
	server := &http.Server{Addr: fmt.Sprintf(":%d", given.port), Handler: all, TLSConfig: &tls.Config{
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return held.Load(), nil },
	}}
	renewed := make(chan os.Signal, 1)
	signal.Notify(renewed, syscall.SIGHUP)
	go func() {
		if err := held.read(given); err != nil {
			ended <- err
			return
		}
		go func() { ended <- server.ListenAndServeTLS("", "") }()
		for range renewed {
			if err := held.read(given); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
	}()
	return server
}
