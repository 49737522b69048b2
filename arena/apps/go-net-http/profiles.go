// HttpArena's json, upload and static files; the dataset is the shared package's.
package main

import (
	"io"
	"mime"
	"net/http"
	"path/filepath"
	"strconv"

	"arena/rows"
	"github.com/klauspost/compress/gzhttp"
)

func items(all rows.Dataset) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		found, err := all.First(request.PathValue("count"), request.URL.Query().Get("m"))
		if err != nil {
			http.Error(response, "count must be a number", http.StatusBadRequest)
			return
		}
		sendJSON(response, found)
	}
}

// upload counts what comes.
func upload(response http.ResponseWriter, request *http.Request) {
	count, err := io.Copy(io.Discard, request.Body)
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	sendText(response, "text/plain", strconv.FormatInt(count, 10))
}

// addProfiles serves the dataset and the files of a folder; empty: neither.
func addProfiles(mux *http.ServeMux, folder string) error {
	mux.HandleFunc("POST /upload", upload)
	if folder == "" {
		return nil
	}
	all, err := rows.ReadDataset(folder)
	if err != nil {
		return err
	}
	mux.Handle("GET /json/{count}", gzhttp.GzipHandler(items(all)))
	// What mime knows beyond its own few types depends on the machine.
	if err := mime.AddExtensionType(".woff2", "font/woff2"); err != nil {
		return err
	}
	files := http.FileServer(http.Dir(filepath.Join(folder, "static")))
	mux.Handle("GET /static/", http.StripPrefix("/static/", files))
	return nil
}
