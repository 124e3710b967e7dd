//go:build !lab

package main

import "errors"

// canPlant: this program was built to plant faults.
const canPlant = false

// dropText takes a text out of the store of a closed home.
func dropText(string, string) error {
	return errors.New("this program was not built with the tag lab")
}
