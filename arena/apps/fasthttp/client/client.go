// Asks one URL on so many kept connections by fasthttp's client: URL CONNECTIONS SECONDS BODY_BYTES.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

const (
	owed  = "Hello, World!"
	frame = `{"text":""}`
)

type asking struct {
	url         string
	connections int
	time        time.Duration
	body        []byte
}

type tally struct {
	requests, errors, bytes uint64
}

func parse() (asking, error) {
	var given asking
	if len(os.Args) != 5 {
		return given, errors.New("four words are needed")
	}
	connections, connectionsErr := strconv.Atoi(os.Args[2])
	seconds, secondsErr := strconv.ParseFloat(os.Args[3], 64)
	bodyBytes, bodyErr := strconv.Atoi(os.Args[4])
	given = asking{url: os.Args[1], connections: connections,
		time: time.Duration(seconds * float64(time.Second))}
	if rest := bodyBytes - len(frame); rest >= 0 {
		given.body = []byte(`{"text":"` + strings.Repeat("x", rest) + `"}`)
	}
	return given, errors.Join(connectionsErr, secondsErr, bodyErr)
}

func (t *tally) judge(response *fasthttp.Response, err error) {
	if err != nil || response.StatusCode() != fasthttp.StatusOK || string(response.Body()) != owed {
		t.errors++
		return
	}
	t.requests++
	t.bytes += uint64(len(response.Body()))
}

// askUntil asks as one connection does, one request after the other.
func askUntil(client *fasthttp.Client, given asking, last time.Time, counts *tally) {
	request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(response)
	request.SetRequestURI(given.url)
	if given.body != nil {
		request.Header.SetMethod(fasthttp.MethodPost)
		request.Header.SetContentType("application/json")
		request.SetBodyRaw(given.body)
	}
	for {
		counts.judge(response, client.Do(request, response))
		if !time.Now().Before(last) {
			return
		}
	}
}

func askAll(given asking) tally {
	client := &fasthttp.Client{MaxConnsPerHost: given.connections}
	last := time.Now().Add(given.time)
	tallies := make([]tally, given.connections)
	var all sync.WaitGroup
	for i := range tallies {
		all.Go(func() { askUntil(client, given, last, &tallies[i]) })
	}
	all.Wait()
	var sum tally
	for _, one := range tallies {
		sum.requests += one.requests
		sum.errors += one.errors
		sum.bytes += one.bytes
	}
	return sum
}

func main() {
	given, err := parse()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		fmt.Fprintln(os.Stderr, "usage: http://HOST:PORT/PATH CONNECTIONS SECONDS BODY_BYTES")
		os.Exit(2)
	}
	runtime.GOMAXPROCS(1)
	begin := time.Now()
	sum := askAll(given)
	fmt.Printf("{\"requests\":%d,\"errors\":%d,\"bytes\":%d,\"seconds\":%.6f}\n",
		sum.requests, sum.errors, sum.bytes, time.Since(begin).Seconds())
}
