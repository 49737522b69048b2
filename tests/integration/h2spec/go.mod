module h2spec.test

go 1.19

require (
	github.com/summerwind/h2spec v2.2.1+incompatible
	github.com/fatih/color v1.15.0
	github.com/mattn/go-colorable v0.1.13
	github.com/mattn/go-isatty v0.0.17
	github.com/spf13/cobra v1.7.0
	golang.org/x/net v0.10.0
	golang.org/x/sys v0.8.0
	golang.org/x/text v0.9.0
)
