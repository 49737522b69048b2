// The measuring service on fasthttp: PORT THREADS DELAY_MS [--routes N] [--middlewares N]
// [--stream-bodies] [--database WHERE --database-connections N].
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"arena/rows"
	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"
)

type message struct {
	Message string `json:"message"`
}

func sendText(ctx *fasthttp.RequestCtx, mediaType, text string) {
	ctx.SetContentType(mediaType)
	ctx.SetBodyString(text)
}

func sendJSON(ctx *fasthttp.RequestCtx, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusInternalServerError)
		return
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(text)
}

// twoNumbers reads two path values as integers; what is none is answered with 400.
func twoNumbers(first, second string, answer func(int, int) string) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		one, oneErr := strconv.Atoi(ctx.UserValue(first).(string))
		two, twoErr := strconv.Atoi(ctx.UserValue(second).(string))
		if err := errors.Join(oneErr, twoErr); err != nil {
			ctx.Error(err.Error(), fasthttp.StatusBadRequest)
			return
		}
		sendText(ctx, "text/plain", answer(one, two))
	}
}

// reply sends the body back with "reply":"received" in it. Sleeping holds a goroutine, not a thread.
func reply(delay time.Duration) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		var body map[string]any
		if err := json.Unmarshal(ctx.PostBody(), &body); err != nil || body == nil {
			ctx.Error("the body must be a JSON object", fasthttp.StatusBadRequest)
			return
		}
		time.Sleep(delay)
		body["reply"] = "received"
		sendJSON(ctx, body)
	}
}

func addRoutes(routes *router.Router, given options) {
	delay := time.Duration(given.delayMs) * time.Millisecond
	routes.POST("/test", reply(delay))
	routes.POST("/test/blocking", reply(delay))
	routes.GET("/test/labels/{label}", func(ctx *fasthttp.RequestCtx) {
		sendText(ctx, "text/plain", ctx.UserValue("label").(string))
	})
	routes.GET("/users/{id}/posts/{pid}", twoNumbers("id", "pid",
		func(id, pid int) string { return fmt.Sprintf("%d %d", id, pid) }))
	for _, size := range []int{1024, 65536, 1048576} {
		content := []byte(strings.Repeat("x", size))
		routes.GET("/bytes/"+strconv.Itoa(size), func(ctx *fasthttp.RequestCtx) {
			ctx.SetContentType("application/octet-stream")
			ctx.Response.SetBodyRaw(content)
		})
	}
	for i := range given.routes {
		routes.GET(fmt.Sprintf("/area%d/{id}/item%d/{item}", i, i), twoNumbers("id", "item",
			func(id, item int) string { return strconv.Itoa(id + item) }))
	}
}

// constants answers the fixed paths by a switch, as fasthttp's own text advises; `next` the others.
func constants(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		if !ctx.IsGet() {
			next(ctx)
			return
		}
		switch string(ctx.Path()) {
		case "/plaintext", "/simple", "/bench":
			sendText(ctx, "text/plain", "Hello, World!")
		case "/json":
			sendJSON(ctx, message{"Hello, World!"})
		case "/html":
			sendText(ctx, "text/html", "<p>Hello, world!</p>")
		case "/test/status":
			sendText(ctx, "text/plain", "OK")
		default:
			next(ctx)
		}
	}
}

// readsPath is a middleware that does no more than look at the path.
func readsPath(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		if len(ctx.Path()) == 0 {
			ctx.Error("no path", fasthttp.StatusBadRequest)
			return
		}
		next(ctx)
	}
}

// handler answers everything; compressed: a folder for what is stored compressed.
func handler(given options, compressed string) (fasthttp.RequestHandler, error) {
	routes := router.New()
	addRoutes(routes, given)
	addWebSockets(routes)
	addStreams(routes)
	if err := addProfiles(routes, given.profiles, compressed); err != nil {
		return nil, err
	}
	if given.database != "" {
		store, err := rows.Open(given.database, given.databaseConnections)
		if err != nil {
			return nil, err
		}
		addDatabase(routes, store)
	}
	all := constants(routes.Handler)
	for range given.middlewares {
		all = readsPath(all)
	}
	return all, nil
}
