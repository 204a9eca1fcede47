// The descriptions of events are written once, in English, for the OpenAPI document. These are their translations for
// the German pages.

const wegenSchalter = 'Fehlt, solange `member_detail_enabled` aus ist';

const german: Readonly<Record<string, string>> = {
  'The id of the event, the same in every attempt. Use it to detect duplicates.':
    'Die ID des Ereignisses, bei jedem Versuch dieselbe. Erkennen Sie daran Wiederholungen.',
  'The event type. It determines the fields of `data`.': 'Der Ereignistyp. Er bestimmt die Felder von `data`.',
  'When it happened.': 'Wann es geschah.',
  'The version that the endpoint was created with.': 'Die Version, mit der der Endpunkt angelegt wurde.',
  'The team.': 'Das Team.',
  'The details of the event.': 'Die Einzelheiten des Ereignisses.',
  'The team; the same as `tenant_id`.': 'Das Team, dasselbe wie `tenant_id`.',
  'The session, as in `/trainings/{training_id}`.': 'Das Training, wie in `/trainings/{training_id}`.',
  'Not every session gets an evaluation. If it does, `evaluation.completed` follows.':
    'Nicht jedes Training erhält eine Bewertung. Erhält es eine, folgt `evaluation.completed`.',
  'Where it took place.': 'Wo es stattfand.',
  'The assignment that it was practised for.': 'Die Aufgabe, für die trainiert wurde.',
  'When the session ended.': 'Wann das Training endete.',
  'Seconds.': 'Sekunden.',
  'The person who practised. Absent while `member_detail_enabled` is off.': `Die Person, die trainiert hat. ${wegenSchalter}.`,
  'The session; read the rest at `/trainings/{training_id}/evaluation`.':
    'Das Training. Lesen Sie alles Weitere unter `/trainings/{training_id}/evaluation`.',
  'The total, 0 to 100. Absent while `member_detail_enabled` is off, and where the evaluation has no total.': `Die Gesamtpunktzahl, 0 bis 100. ${wegenSchalter}, und wenn die Bewertung keine hat.`,
  'The assignment, as in `/assignments/{assignment_id}`.': 'Die Aufgabe, wie in `/assignments/{assignment_id}`.',
  'As it was when this happened.': 'Der Stand zu diesem Zeitpunkt.',
  'The day by which it should be done, if it has one.':
    'Der Tag, bis zu dem sie erledigt sein soll, falls es einen gibt.',
  'The training that completed it, if one did.': 'Das Training, das sie erledigt hat, falls es eines gibt.',
  'The member who has the assignment. Absent while `member_detail_enabled` is off, and until the member accepts the invitation.': `Das Mitglied, das die Aufgabe hat. ${wegenSchalter}, und bis das Mitglied die Einladung annimmt.`,
  'The membership, as in `/users/{member_id}`.': 'Die Mitgliedschaft, wie in `/users/{member_id}`.',
  'The member’s role in the team.': 'Die Rolle des Mitglieds im Team.',
  'The person, as sessions and cases name them. Absent while `member_detail_enabled` is off, and until the member accepts the invitation.': `Die Person, wie Trainings und Fälle sie nennen. ${wegenSchalter}, und bis das Mitglied die Einladung annimmt.`,
  'The CRM connection, as the app names it.': 'Die CRM-Verbindung, wie die App sie nennt.',
  'The CRM, for instance `hubspot`.': 'Das CRM, zum Beispiel `hubspot`.',
  'For people: why it failed, at most 1000 characters.': 'Für Menschen: warum es scheiterte, höchstens 1000 Zeichen.',
  'The endpoint that the event is about. It does not get the event itself.':
    'Der Endpunkt, um den es geht. Er selbst bekommt das Ereignis nicht.',
  'Since when: the time of its first failed attempt.': 'Seit wann: der Zeitpunkt des ersten gescheiterten Versuchs.',
  'For people: why its last attempt failed, at most 200 characters.':
    'Für Menschen: warum der letzte Versuch scheiterte, höchstens 200 Zeichen.',
  'Since when: the time of a successful delivery.': 'Seit wann: der Zeitpunkt einer erfolgreichen Zustellung.',
  'The id of the entry. Use it to detect duplicates.': 'Die ID des Eintrags. Erkennen Sie daran Wiederholungen.',
  'The action, for instance `key.created`. New ones may be added.':
    'Die Aktion, zum Beispiel `key.created`. Neue können hinzukommen.',
  'The actor: `kind` and `id`.': 'Der Urheber: `kind` und `id`.',
  'The target: `type` and `id`.': 'Das Ziel: `type` und `id`.',
  'The changes, by action. It never contains a secret. Long texts and lists are shortened.':
    'Die Änderungen, je nach Aktion. Nie steht ein Geheimnis darin. Lange Texte und Listen sind gekürzt.',
  'The `X-Request-Id` of the request that did it, if there was one.':
    'Die `X-Request-Id` der Anfrage, die es getan hat, falls es eine gab.',
  'The IP address from which it was done, if it is known.': 'Die IP-Adresse, von der aus es geschah, falls bekannt.',
  'When it was done.': 'Wann es geschah.',
  'The endpoint that is tested.': 'Der Endpunkt, der getestet wird.',
  '`t` is the time of the attempt in Unix seconds, `v1` the lowercase hex HMAC-SHA256 of `<t>.<raw body>` with the endpoint’s whole secret as key. Compare in constant time, and refuse a `t` older than 300 seconds. Ignore fields you do not know.':
    '`t` ist die Zeit des Versuchs in Unix-Sekunden, `v1` der HMAC-SHA256 von `<t>.<unveränderter Inhalt>` in kleingeschriebenem Hex, mit dem ganzen Geheimnis des Endpunkts als Schlüssel. Vergleichen Sie in konstanter Zeit und lehnen Sie ein `t` ab, das älter als 300 Sekunden ist. Ignorieren Sie Felder, die Sie nicht kennen.',
  'The `id` of the body, to deduplicate on before reading it.':
    'Die `id` aus dem Inhalt. Damit erkennen Sie Wiederholungen, bevor Sie ihn lesen.',
  'Standard Webhooks: the same as `Svc-Event-Id`.': `Standard Webhooks: dasselbe wie \`Svc-Event-Id\`.`,
  'Standard Webhooks: the time of the attempt in Unix seconds.': `Standard Webhooks: die Zeit des Versuchs in Unix-Sekunden.`,
  'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>`. The key is the secret after `whsec_`, decoded from base64.': `Standard Webhooks: \`v1,\` und der HMAC-SHA256 von \`<webhook-id>.<webhook-timestamp>.<unveränderter Inhalt>\` in Base64. Der Schlüssel ist das Geheimnis nach \`whsec_\`, aus Base64 dekodiert.`,
  'Names the service and its version.': 'Nennt den Dienst und seine Version.',
};

/** The German text of a description; a missing one stays English, which a test finds. */
export const germanOf = (description: string): string => german[description] ?? description;

export const hasGerman = (description: string): boolean => Object.hasOwn(german, description);
