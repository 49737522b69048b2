package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
)

const pieceBytes = 64 * 1024

// events sends each one as it is made.
func events(response http.ResponseWriter, request *http.Request) {
	count, err := strconv.Atoi(request.URL.Query().Get("n"))
	if err != nil || count < 0 {
		http.Error(response, "n must be a number", http.StatusBadRequest)
		return
	}
	response.Header().Set("Content-Type", "text/event-stream")
	controller := http.NewResponseController(response)
	for i := range count {
		fmt.Fprintf(response, "data: %d\n\n", i)
		if controller.Flush() != nil {
			return
		}
	}
}

func stream(response http.ResponseWriter, request *http.Request) {
	left, err := strconv.Atoi(request.PathValue("bytes"))
	if err != nil || left < 0 {
		http.Error(response, "not a number of bytes", http.StatusBadRequest)
		return
	}
	response.Header().Set("Content-Type", "application/octet-stream")
	piece := []byte(strings.Repeat("x", min(left, pieceBytes)))
	for left > 0 {
		written, err := response.Write(piece[:min(left, len(piece))])
		if err != nil {
			return
		}
		left -= written
	}
}

func echoBody(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	response.Header().Set("Content-Type", "application/octet-stream")
	response.Header().Set("Content-Length", strconv.Itoa(len(body)))
	response.Write(body)
}

func addStreams(mux *http.ServeMux) {
	mux.HandleFunc("POST /echo", echoBody)
	mux.HandleFunc("GET /events", events)
	mux.HandleFunc("GET /stream/{bytes}", stream)
	if folder := os.Getenv("FILES_DIR"); folder != "" {
		mux.Handle("GET /files/", http.StripPrefix("/files/", http.FileServer(http.Dir(folder))))
	}
}
