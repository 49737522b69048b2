package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"
)

const pieceBytes = 64 * 1024

// events sends each one as it is made.
func events(ctx *fasthttp.RequestCtx) {
	count, err := ctx.QueryArgs().GetUint("n")
	if err != nil {
		ctx.Error("n must be a number", fasthttp.StatusBadRequest)
		return
	}
	ctx.SetContentType("text/event-stream")
	ctx.SetBodyStreamWriter(func(out *bufio.Writer) {
		for i := range count {
			fmt.Fprintf(out, "data: %d\n\n", i)
			if out.Flush() != nil {
				return
			}
		}
	})
}

func stream(ctx *fasthttp.RequestCtx) {
	left, err := strconv.Atoi(ctx.UserValue("bytes").(string))
	if err != nil || left < 0 {
		ctx.Error("not a number of bytes", fasthttp.StatusBadRequest)
		return
	}
	ctx.SetContentType("application/octet-stream")
	ctx.SetBodyStreamWriter(func(out *bufio.Writer) {
		piece := []byte(strings.Repeat("x", min(left, pieceBytes)))
		for left > 0 {
			written, err := out.Write(piece[:min(left, len(piece))])
			if err != nil {
				return
			}
			left -= written
		}
	})
}

func addStreams(routes *router.Router) {
	routes.GET("/events", events)
	routes.GET("/stream/{bytes}", stream)
	if folder := os.Getenv("FILES_DIR"); folder != "" {
		files := &fasthttp.FS{Root: folder, PathRewrite: fasthttp.NewPathSlashesStripper(1)}
		routes.GET("/files/{name}", files.NewRequestHandler())
	}
}
