<?php

$settings = parse_ini_file('.env', false, INI_SCANNER_RAW);
$context = stream_context_create(['http' => [
    'header' => 'Authorization: Bearer ' . $settings['API_KEY'],
    'ignore_errors' => true, // A refusal is an answer too.
]]);
$answer = fopen($settings['BASE_URL'] . '/me', 'r', false, $context);
[$status] = stream_get_meta_data($answer)['wrapper_data'];
echo explode(' ', $status)[1], ' ', stream_get_contents($answer), "\n";
