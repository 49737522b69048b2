// Hello world on Go's net/http.
package main

import (
	"io"
	"log"
	"net/http"
)

func main() {
	http.HandleFunc("GET /", func(response http.ResponseWriter, _ *http.Request) {
		io.WriteString(response, "Hello world")
	})
	log.Fatal(http.ListenAndServe(":8080", nil))
}
