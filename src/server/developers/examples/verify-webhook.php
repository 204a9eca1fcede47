<?php

function is_genuine(string $body, ?string $header, array $secrets, ?int $now = null): bool
{
    $times = [];
    $signatures = [];
    foreach (explode(',', $header ?? '') as $field) {
        if (str_starts_with($field, 't=')) {
            $times[] = substr($field, 2);
        } elseif (preg_match('/^v1=([0-9a-f]{64})$/D', $field, $match)) {
            $signatures[] = $match[1];
        }
    }
    if (count($times) !== 1 || !preg_match('/^[0-9]{1,12}$/D', $times[0])) {
        return false;
    }
    $fits = false;
    foreach (array_filter($secrets) as $secret) {
        $expected = hash_hmac('sha256', $times[0] . '.' . $body, $secret);
        foreach ($signatures as $signature) {
            $fits = hash_equals($expected, $signature) || $fits;
        }
    }
    return $fits && abs(($now ?? time()) - (int) $times[0]) <= 300;
}
