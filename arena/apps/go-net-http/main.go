// The measuring service on Go's net/http: PORT THREADS DELAY_MS [--routes N] [--middlewares N]
// [--tls-port P --cert F --key F] [--upstream HOST:PORT] [--database WHERE
// --database-connections N].
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"arena/rows"
)

const stopSecondsMax = 3

type message struct {
	Message string `json:"message"`
}

type options struct {
	port, threads, delayMs, routes, middlewares int
	database                                    string
	databaseConnections                         int
	secure                                      secure
	upstream                                    string
}

func sendText(response http.ResponseWriter, mediaType, text string) {
	response.Header().Set("Content-Type", mediaType)
	response.Header().Set("Content-Length", strconv.Itoa(len(text)))
	response.Write([]byte(text))
}

func sendJSON(response http.ResponseWriter, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		http.Error(response, err.Error(), http.StatusInternalServerError)
		return
	}
	response.Header().Set("Content-Type", "application/json")
	response.Write(text)
}

// constant answers with the same text always.
func constant(mediaType, text string) http.HandlerFunc {
	return func(response http.ResponseWriter, _ *http.Request) {
		sendText(response, mediaType, text)
	}
}

// twoNumbers reads two path values as integers; what is none is answered with 400.
func twoNumbers(first, second string, answer func(int, int) string) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		one, oneErr := strconv.Atoi(request.PathValue(first))
		two, twoErr := strconv.Atoi(request.PathValue(second))
		if err := errors.Join(oneErr, twoErr); err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		sendText(response, "text/plain", answer(one, two))
	}
}

// reply sends the body back with "reply":"received" in it. Sleeping holds a goroutine, not a thread.
func reply(delay time.Duration) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(request.Body).Decode(&body); err != nil || body == nil {
			http.Error(response, "the body must be a JSON object", http.StatusBadRequest)
			return
		}
		time.Sleep(delay)
		body["reply"] = "received"
		sendJSON(response, body)
	}
}

func addRoutes(mux *http.ServeMux, delay time.Duration) {
	for _, path := range []string{"/plaintext", "/simple", "/bench"} {
		mux.HandleFunc("GET "+path, constant("text/plain", "Hello, World!"))
	}
	mux.HandleFunc("GET /json", func(response http.ResponseWriter, _ *http.Request) {
		sendJSON(response, message{"Hello, World!"})
	})
	mux.HandleFunc("GET /html", constant("text/html", "<p>Hello, world!</p>"))
	mux.HandleFunc("GET /test/status", constant("text/plain", "OK"))
	mux.HandleFunc("GET /test/labels/{label}",
		func(response http.ResponseWriter, request *http.Request) {
			sendText(response, "text/plain", request.PathValue("label"))
		})
	mux.HandleFunc("POST /test", reply(delay))
	mux.HandleFunc("POST /test/blocking", reply(delay))
	mux.HandleFunc("GET /users/{id}/posts/{pid}", twoNumbers("id", "pid",
		func(id, pid int) string { return fmt.Sprintf("%d %d", id, pid) }))
	for _, size := range []int{1024, 65536, 1048576} {
		mux.HandleFunc("GET /bytes/"+strconv.Itoa(size), bytes(size))
	}
}

func bytes(size int) http.HandlerFunc {
	content := []byte(strings.Repeat("x", size))
	return func(response http.ResponseWriter, _ *http.Request) {
		response.Header().Set("Content-Type", "application/octet-stream")
		response.Header().Set("Content-Length", strconv.Itoa(size))
		response.Write(content)
	}
}

func addCompany(mux *http.ServeMux, count int) {
	for i := range count {
		mux.HandleFunc(fmt.Sprintf("GET /area%d/{id}/item%d/{item}", i, i), twoNumbers("id", "item",
			func(id, item int) string { return strconv.Itoa(id + item) }))
	}
}

// readsPath is a middleware that does no more than look at the path.
func readsPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		if len(request.URL.Path) == 0 {
			http.Error(response, "no path", http.StatusBadRequest)
			return
		}
		next.ServeHTTP(response, request)
	})
}

func handler(given options) (http.Handler, error) {
	mux := http.NewServeMux()
	addRoutes(mux, time.Duration(given.delayMs)*time.Millisecond)
	addWebSockets(mux)
	addStreams(mux)
	addProxy(mux, given.upstream)
	addCompany(mux, given.routes)
	if err := addProfiles(mux, os.Getenv("PROFILES_DIR")); err != nil {
		return nil, err
	}
	if given.database != "" {
		store, err := rows.Open(given.database, given.databaseConnections)
		if err != nil {
			return nil, err
		}
		addDatabase(mux, store)
	}
	var all http.Handler = mux
	for range given.middlewares {
		all = readsPath(all)
	}
	return all, nil
}

func parse() (options, error) {
	var given options
	if len(os.Args) < 4 {
		return given, errors.New("three numbers are needed")
	}
	for i, target := range []*int{&given.port, &given.threads, &given.delayMs} {
		value, err := strconv.Atoi(os.Args[i+1])
		if err != nil || value < 0 {
			return given, fmt.Errorf("%q is no number", os.Args[i+1])
		}
		*target = value
	}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.IntVar(&given.routes, "routes", 0, "how many more routes")
	flags.IntVar(&given.middlewares, "middlewares", 0, "how many middlewares")
	flags.IntVar(&given.secure.port, "tls-port", 0, "where TLS is spoken; 0: nowhere")
	flags.StringVar(&given.secure.cert, "cert", "", "the certificate, PEM")
	flags.StringVar(&given.secure.key, "key", "", "its key, PEM")
	flags.StringVar(&given.upstream, "upstream", "", "HOST:PORT of /proxy; empty: none")
	flags.StringVar(&given.database, "database", "", "where PostgreSQL is; empty: nowhere")
	flags.IntVar(&given.databaseConnections, "database-connections", 4, "the most of them")
	return given, flags.Parse(os.Args[4:])
}

func serve(given options) error {
	runtime.GOMAXPROCS(given.threads)
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, os.Interrupt)
	all, err := handler(given)
	if err != nil {
		return err
	}
	ended := make(chan error, 2)
	servers := []*http.Server{listen(all, given.port, ended)}
	if given.secure.port != 0 {
		servers = append(servers, listenSecurely(all, given.secure, ended))
	}
	select {
	case err := <-ended:
		return err
	case <-told:
		limit, cancel := context.WithTimeout(context.Background(), stopSecondsMax*time.Second)
		defer cancel()
		return shutDown(limit, servers)
	}
}

func shutDown(limit context.Context, servers []*http.Server) error {
	var faults []error
	for _, server := range servers {
		faults = append(faults, server.Shutdown(limit))
	}
	return errors.Join(faults...)
}

func main() {
	given, err := parse()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		fmt.Fprintln(os.Stderr, "usage: PORT THREADS DELAY_MS [--routes N] [--middlewares N] "+
			"[--tls-port P --cert F --key F] [--upstream HOST:PORT] "+
			"[--database WHERE --database-connections N]")
		os.Exit(2)
	}
	if err := serve(given); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
