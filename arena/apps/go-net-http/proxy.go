package main

import (
	"net/http"
	"net/http/httputil"
	"net/url"
)

const idleConnectionsMax = 1024

// addProxy passes what is below /proxy on; place: HOST:PORT, or empty for none.
func addProxy(mux *http.ServeMux, place string) {
	if place == "" {
		return
	}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: place})
	// Its default of two would open a connection for nearly every request.
	proxy.Transport = &http.Transport{MaxIdleConnsPerHost: idleConnectionsMax}
	mux.Handle("/proxy/", http.StripPrefix("/proxy", proxy))
}
