interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly help: string;
}

/** What the service counts: its names, and the sentence that docs and the metrics themselves say of each. */
export const metrics = {
  requests: {
    name: 'team_api_http_requests_total',
    type: 'counter',
    labels: ['method', 'route', 'status'],
    help: 'Requests to the API and calls of the app that were answered, by route template; 499 is a client that left, `unknown` a path without a route.',
  },
  requestSeconds: {
    name: 'team_api_http_request_duration_seconds',
    type: 'histogram',
    labels: ['method', 'route'],
    help: 'Time from a request’s arrival until its answer was handed over.',
  },
  refusals: {
    name: 'team_api_gate_refusals_total',
    type: 'counter',
    labels: ['code'],
    help: 'Requests that were turned away before anything of them was looked at, by problem code.',
  },
  signInEvents: {
    name: 'team_api_sign_in_events_total',
    type: 'counter',
    labels: ['event'],
    help: 'What happened at the app’s entrance: `signed_in`, wrong passwords and codes, accounts and second factors that were locked, resets, refused origins, and calls beyond a budget (`limited`) or the queue for hashing (`busy`).',
  },
  connectionsShed: {
    name: 'team_api_http_connections_shed_total',
    type: 'counter',
    labels: ['reason'],
    help: 'Connections that were refused (`address_full`, `full`) or closed: `displaced` by others, `slow_reader`, too much kept for an address or for all (`held_by_address`, `held_by_all`), too many requests at once (`pipelined`), a body in very many tiny chunks (`tiny_chunks`).',
  },
  maintenance: {
    name: 'team_api_maintenance',
    type: 'gauge',
    labels: [],
    help: '1 while maintenance is on and requests are answered with 503, else 0.',
  },
  waiting: {
    name: 'team_api_webhook_waiting_deliveries',
    type: 'gauge',
    labels: ['state'],
    help: 'Deliveries that wait: `due` now, being sent (`sending`), for a `later` try, or `held` back: their endpoint is not active.',
  },
  oldestDue: {
    name: 'team_api_webhook_oldest_due_age_seconds',
    type: 'gauge',
    labels: [],
    help: 'How long the oldest due delivery has been due; 0 when none is.',
  },
  attempts: {
    name: 'team_api_webhook_attempts_total',
    type: 'counter',
    labels: ['result'],
    help: 'Attempts of deliveries: `ok`, `failed` and tried again, `gave_up`, or `stale` because another worker took over.',
  },
  attemptSeconds: {
    name: 'team_api_webhook_attempt_duration_seconds',
    type: 'histogram',
    labels: ['result'],
    help: 'Time from the start of an attempt until its outcome.',
  },
  claimed: {
    name: 'team_api_webhook_claimed_deliveries_total',
    type: 'counter',
    labels: [],
    help: 'Deliveries that this process took to send.',
  },
  endpoints: {
    name: 'team_api_webhook_endpoints_silent_total',
    type: 'counter',
    labels: ['change'],
    help: 'Endpoints that were `warned` about or `paused` for want of a successful delivery.',
  },
  jobs: {
    name: 'team_api_jobs_total',
    type: 'counter',
    labels: ['task', 'result'],
    help: 'Jobs that ended, by task: `ok`, or `failed` and tried again where tries remain.',
  },
  jobSeconds: {
    name: 'team_api_job_duration_seconds',
    type: 'histogram',
    labels: ['task'],
    help: 'Time that a job ran.',
  },
} as const satisfies Record<string, Metric>;
