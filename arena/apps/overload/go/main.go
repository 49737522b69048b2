// The service of overloaded.cc in Go: answers that cost what the request says, in processor time.
package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

const threadCPU = 3 // CLOCK_THREAD_CPUTIME_ID

func ownNanoseconds() int64 {
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadCPU, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

func compute(response http.ResponseWriter, request *http.Request) {
	microseconds, err := strconv.ParseInt(request.PathValue("microseconds"), 10, 64)
	if err != nil {
		http.NotFound(response, request)
		return
	}
	runtime.LockOSThread() // the clock is this thread's
	until := ownNanoseconds() + microseconds*1000
	for ownNanoseconds() < until {
	}
	runtime.UnlockOSThread()
	io.WriteString(response, "Done.")
}

func await(response http.ResponseWriter, request *http.Request) {
	time.Sleep(time.Millisecond)
	compute(response, request)
}

func plain(response http.ResponseWriter, _ *http.Request) {
	io.WriteString(response, "Done.")
}

func main() {
	http.HandleFunc("GET /plain", plain)
	http.HandleFunc("GET /livez", plain)
	http.HandleFunc("GET /compute/{microseconds}", compute)
	http.HandleFunc("GET /blocking/{microseconds}", compute)
	http.HandleFunc("GET /await/{microseconds}", await)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
