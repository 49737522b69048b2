// HttpArena's json, upload and static files; the dataset is the shared package's.
package main

import (
	"io"
	"mime"
	"path/filepath"
	"strconv"

	"arena/rows"
	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"
)

func items(all rows.Dataset) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		found, err := all.First(ctx.UserValue("count").(string), said(ctx)("m"))
		if err != nil {
			ctx.Error("count must be a number", fasthttp.StatusBadRequest)
			return
		}
		sendJSON(ctx, found)
	}
}

// upload counts what comes; without streaming it is there already.
func upload(ctx *fasthttp.RequestCtx) {
	body := ctx.RequestBodyStream()
	if body == nil {
		sendText(ctx, "text/plain", strconv.Itoa(len(ctx.PostBody())))
		return
	}
	count, err := io.Copy(io.Discard, body)
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusBadRequest)
		return
	}
	sendText(ctx, "text/plain", strconv.FormatInt(count, 10))
}

// addProfiles serves the dataset and the files of a folder; empty: neither. What is compressed of
// the files is stored in another one.
func addProfiles(routes *router.Router, folder, compressed string) error {
	routes.POST("/upload", upload)
	if folder == "" {
		return nil
	}
	all, err := rows.ReadDataset(folder)
	if err != nil {
		return err
	}
	routes.GET("/json/{count}", fasthttp.CompressHandler(items(all)))
	// What mime knows beyond its own few types depends on the machine.
	if err := mime.AddExtensionType(".woff2", "font/woff2"); err != nil {
		return err
	}
	files := &fasthttp.FS{
		Root:           filepath.Join(folder, "static"),
		PathRewrite:    fasthttp.NewPathSlashesStripper(1),
		Compress:       true,
		CompressBrotli: true,
		CompressRoot:   compressed,
	}
	routes.GET("/static/{name}", files.NewRequestHandler())
	return nil
}
