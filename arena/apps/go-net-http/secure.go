package main

import (
	"fmt"
	"net/http"
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

// listenSecurely is the same over TLS; HTTP/2 is agreed upon by ALPN.
func listenSecurely(all http.Handler, given secure, ended chan<- error) *http.Server {
	server := &http.Server{Addr: fmt.Sprintf(":%d", given.port), Handler: all}
	go func() { ended <- server.ListenAndServeTLS(given.cert, given.key) }()
	return server
}
