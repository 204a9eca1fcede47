"""The service writes its own address and version here when it makes the wheel."""

ORIGIN = "http://localhost:3000"
VERSION = "0"
