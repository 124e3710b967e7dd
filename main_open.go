//go:build window

package main

import (
	"context"
	"errors"
	"os"

	"cairn/app/dto"
	"cairn/app/window"
)

func openWindow() error {
	assets, err := page()
	if err != nil {
		return err
	}
	return window.Run(window.Options{Assets: assets, Version: "0.1.0", Log: os.Stderr, SelfTest: os.Getenv("CAIRN_SELFTEST"),
		Open: func(context.Context) (dto.Service, error) { return nil, errors.New("not yet") }})
}
