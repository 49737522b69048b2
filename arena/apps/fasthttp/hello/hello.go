// Hello world on fasthttp.
package main

import (
	"log"

	"github.com/valyala/fasthttp"
)

func main() {
	log.Fatal(fasthttp.ListenAndServe(":8080", func(ctx *fasthttp.RequestCtx) {
		ctx.WriteString("Hello world")
	}))
}
