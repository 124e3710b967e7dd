//go:build lab

package main

// canPlant: this program was built to plant faults.
const canPlant = true
