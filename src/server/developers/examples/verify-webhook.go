package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	unixTime  = regexp.MustCompile(`^[0-9]{1,12}$`)
	signature = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

func IsGenuine(body []byte, header string, secrets []string, now time.Time) bool {
	var times, signatures []string
	for _, field := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(field, "=")
		if name == "t" {
			times = append(times, value)
		} else if name == "v1" && signature.MatchString(value) {
			signatures = append(signatures, value)
		}
	}
	if len(times) != 1 || !unixTime.MatchString(times[0]) {
		return false
	}
	fits := false
	for _, secret := range secrets {
		if secret == "" {
			continue
		}
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(times[0] + "."))
		mac.Write(body)
		expected := []byte(hex.EncodeToString(mac.Sum(nil)))
		for _, one := range signatures {
			fits = hmac.Equal(expected, []byte(one)) || fits
		}
	}
	t, err := strconv.ParseInt(times[0], 10, 64)
	age := now.Unix() - t
	return fits && err == nil && age <= 300 && age >= -300
}
