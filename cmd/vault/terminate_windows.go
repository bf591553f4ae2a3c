package main

import "os"

// Windows sends only interrupts.
var terminate = os.Interrupt
