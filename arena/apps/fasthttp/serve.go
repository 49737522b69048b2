package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

const stopSecondsMax = 3

type options struct {
	port, threads, delayMs, routes, middlewares int
	database                                    string
	databaseConnections                         int
	isBodyStreamed                              bool
	profiles                                    string // the folder of HttpArena's; empty: none
}

func parse() (options, error) {
	given := options{profiles: os.Getenv("PROFILES_DIR")}
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
	flags.StringVar(&given.database, "database", "", "where PostgreSQL is; empty: nowhere")
	flags.IntVar(&given.databaseConnections, "database-connections", 4, "the most of them")
	flags.BoolVar(&given.isBodyStreamed, "stream-bodies", false, "handlers begin ahead of a body's end")
	return given, flags.Parse(os.Args[4:])
}

func serve(given options) error {
	runtime.GOMAXPROCS(given.threads)
	compressed, err := os.MkdirTemp("", "fasthttp")
	if err != nil {
		return err
	}
	defer os.RemoveAll(compressed)
	all, err := handler(given, compressed)
	if err != nil {
		return err
	}
	// It would tell of every connection that ends with the load.
	silent := log.New(io.Discard, "", 0)
	server := &fasthttp.Server{Handler: all, Logger: silent, StreamRequestBody: given.isBodyStreamed}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, os.Interrupt)
	ended := make(chan error, 1)
	go func() { ended <- server.ListenAndServe(fmt.Sprintf(":%d", given.port)) }()
	select {
	case err := <-ended:
		return err
	case <-told:
		limit, cancel := context.WithTimeout(context.Background(), stopSecondsMax*time.Second)
		defer cancel()
		return server.ShutdownWithContext(limit)
	}
}

func main() {
	given, err := parse()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		fmt.Fprintln(os.Stderr, "usage: PORT THREADS DELAY_MS [--routes N] [--middlewares N] "+
			"[--stream-bodies] [--database WHERE --database-connections N]")
		os.Exit(2)
	}
	if err := serve(given); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
