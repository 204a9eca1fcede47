body='{"id":"evt_by_hand","type":"ping","created_at":"2026-11-20T08:30:00.000Z","api_version":"2026-11","tenant_id":"t","data":{"team_id":"t","endpoint_id":"e"}}'
t=$(date +%s)
v1=$(printf '%s.%s' "$t" "$body" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d ' ' -f 1)
curl -i "$RECEIVER" -H 'Content-Type: application/json' -H 'Svc-Event-Id: evt_by_hand' -H "Svc-Signature: t=$t,v1=$v1" --data-binary "$body"
