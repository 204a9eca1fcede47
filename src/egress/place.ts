/** Where a URL leads: its host without brackets and without the dot that a full name may end with, and its port. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

const defaultPorts: Record<string, number> = { 'http:': 80, 'https:': 443 };

export const placeOf = ({ protocol, hostname, port }: URL): Place => ({
  host: hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''),
  port: port === '' ? (defaultPorts[protocol] ?? 0) : Number(port),
});
