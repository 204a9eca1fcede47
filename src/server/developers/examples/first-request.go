package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	file, err := os.ReadFile(".env")
	if err != nil {
		log.Fatal(err)
	}
	settings := map[string]string{}
	for _, line := range strings.Split(string(file), "\n") {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		settings[name] = value
	}

	request, err := http.NewRequest("GET", settings["BASE_URL"]+"/me", nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+settings["API_KEY"])
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.StatusCode, string(body))
}
