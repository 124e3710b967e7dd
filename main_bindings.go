//go:build window && bindings

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing/fstest"

	"cairn/app/cli"
	"cairn/app/dto"
	appwindow "cairn/app/window"
)

// A program built with the tag `bindings` only writes frontend/wailsjs. It must
// not need the built page that needs those files, so it has an empty one.
func init() {
	bindings = func() int {
		// Plain interfaces, not classes: the page gets JSON and needs no
		// constructors. Wails reads this variable before its flags.
		err := os.Setenv("tsoutputtype", "interfaces")
		if err == nil {
			err = appwindow.Run(appwindow.Options{
				Assets: fstest.MapFS{"index.html": {Data: []byte("<!doctype html>")}},
				Open: func(context.Context) (dto.Service, error) {
					return nil, errors.New("there is no window in this program")
				},
			})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return cli.Failed
		}
		return cli.Good
	}
}
