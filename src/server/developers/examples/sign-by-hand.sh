printf '%s.' "$T" | cat - body | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d ' ' -f 1
