import type { Message } from '../language.ts';

// Requests to servers of customers: webhooks and CRM syncs.

const allowedBySetting = 'The setting WEBHOOK_ALLOW_TARGETS can allow it (not in production).';

/** Why nothing is sent to a URL. */
export const targetMessages = {
  notAUrl: { de: 'Das ist keine gültige URL.', en: 'This is not a valid URL.' },
  notHttps: { de: 'Die URL muss mit https:// beginnen.', en: 'The URL must begin with https://.' },
  credentials: {
    de: 'Die URL darf keinen Benutzernamen und kein Passwort enthalten.',
    en: 'The URL must not contain a user name or password.',
  },
  tooLong: (max: number) => ({
    de: `Die URL darf höchstens ${max} Zeichen lang sein.`,
    en: `The URL can have at most ${max} characters.`,
  }),
  lowPort: (port: number) => ({
    de: `Port ${port} ist nicht erlaubt. Verwenden Sie Port 443 oder einen Port ab 1024.`,
    en: `Port ${port} is not allowed. Use port 443, or a port from 1024.`,
    operator: allowedBySetting,
  }),
  reservedPort: (port: number) => ({
    de: `Port ${port} ist nicht erlaubt, weil er für andere Dienste reserviert ist.`,
    en: `Port ${port} is not allowed because it is reserved for other services.`,
    operator: allowedBySetting,
  }),
  noHostName: { de: 'Die URL enthält keinen gültigen Hostnamen.', en: 'The URL contains no valid host name.' },
  privateName: (host: string) => ({
    de: `Anfragen gehen nur an öffentliche Hosts. ${host} ist ein Name aus privaten Netzen.`,
    en: `Requests are sent to public hosts only. ${host} is a name of private networks.`,
    operator: allowedBySetting,
  }),
  ownUrl: {
    de: 'Die URL verweist auf diesen Dienst selbst.',
    en: 'The URL points to this service itself.',
    operator: allowedBySetting,
  },
  privateAddress: (address: string) => ({
    de: `Die Adresse ${address} ist nicht öffentlich.`,
    en: `The address ${address} is not public.`,
    operator: allowedBySetting,
  }),
  ownAddress: (address: string) => ({
    de: `Die Adresse ${address} gehört zu diesem Dienst.`,
    en: `The address ${address} belongs to this service.`,
    operator: allowedBySetting,
  }),
  nameOfPrivateAddress: {
    de: 'Der Hostname verweist auf eine nicht öffentliche Adresse.',
    en: 'The host name points to an address that is not public.',
    operator: allowedBySetting,
  },
  nameOfOwnAddress: {
    de: 'Der Hostname verweist auf diesen Dienst selbst.',
    en: 'The host name points to this service itself.',
    operator: allowedBySetting,
  },
} as const;

const unknownAuthority = {
  de: 'Das Zertifikat des Servers stammt von keiner bekannten Zertifizierungsstelle.',
  en: 'The server’s certificate was issued by an unknown authority.',
};
const incompleteChain = {
  de: 'Die Zertifikatskette des Servers ist unvollständig oder stammt von keiner bekannten Zertifizierungsstelle.',
  en: 'The server’s certificate chain is incomplete or from an unknown authority.',
};

const secondsText = (milliseconds: number): Message => {
  const seconds = milliseconds / 1000;
  if (seconds === 1) return { de: '1 Sekunde', en: '1 second' };
  return { de: `${seconds.toLocaleString('de')} Sekunden`, en: `${seconds} seconds` };
};

/** A message that names a duration. */
const within =
  (write: { [Language in 'de' | 'en']: (duration: string) => string }) =>
  (milliseconds: number): Message => {
    const duration = secondsText(milliseconds);
    return { de: write.de(duration.de), en: write.en(duration.en) };
  };

/** Why a request failed. */
export const failureMessages = {
  notFoundInDns: { de: 'Der Hostname wurde im DNS nicht gefunden.', en: 'The host name was not found in the DNS.' },
  dnsFailed: {
    de: 'Die DNS-Abfrage des Hostnamens ist fehlgeschlagen.',
    en: 'The DNS lookup of the host name failed.',
  },
  dnsTooSlow: within({
    de: (time) => `Die DNS-Abfrage des Hostnamens hat zu lange gedauert (${time}).`,
    en: (time) => `The DNS lookup of the host name took longer than ${time}.`,
  }),
  notConnectedWithin: within({
    de: (time) => `Keine Verbindung zum Server innerhalb von ${time}.`,
    en: (time) => `No connection to the server within ${time}.`,
  }),
  noAnswerWithin: within({
    de: (time) => `Der Server hat nicht innerhalb von ${time} geantwortet.`,
    en: (time) => `The server did not respond within ${time}.`,
  }),
  notCompleteWithin: within({
    de: (time) => `Die Antwort war nicht innerhalb von ${time} vollständig.`,
    en: (time) => `The response was not complete within ${time}.`,
  }),
  notConnectedInTime: {
    de: 'Der Server hat die Verbindung nicht rechtzeitig angenommen.',
    en: 'The server did not accept the connection in time.',
  },
  refused: { de: 'Der Server hat die Verbindung abgelehnt.', en: 'The server refused the connection.' },
  closedEarly: {
    de: 'Der Server hat die Verbindung geschlossen, bevor die Antwort vollständig war.',
    en: 'The server closed the connection before the response was complete.',
  },
  unreachable: { de: 'Die Adresse ist nicht erreichbar.', en: 'The address can’t be reached.' },
  failed: { de: 'Die Anfrage ist fehlgeschlagen.', en: 'The request failed.' },
  proxyUnreachable: {
    de: 'Der ausgehende Proxy des Dienstes ist nicht erreichbar.',
    en: 'The service’s outgoing proxy can’t be reached.',
  },
  proxyAnswered: (status: number) => ({
    de: `Der ausgehende Proxy des Dienstes hat mit dem Status ${status} geantwortet.`,
    en: `The service’s outgoing proxy responded with status ${status}.`,
  }),
  tlsClosed: {
    de: 'Der Server hat die Verbindung während des TLS-Handshakes geschlossen.',
    en: 'The server closed the connection during the TLS handshake.',
  },
  tlsFailed: (reason: string) => ({
    de: reason === '' ? 'Der TLS-Handshake ist fehlgeschlagen.' : `Der TLS-Handshake ist fehlgeschlagen: ${reason}.`,
    en: reason === '' ? 'The TLS handshake failed.' : `The TLS handshake failed: ${reason}.`,
  }),
  noAnswer: { de: 'Keine Antwort.', en: 'No response.' },
  tooLarge: (maxMiB: number) => ({
    de: `Die Antwort ist größer als ${maxMiB} MiB.`,
    en: `The response is larger than ${maxMiB} MiB.`,
  }),
  headersTooLarge: {
    de: 'Die Header der Antwort sind größer als 16 KiB.',
    en: 'The response headers are larger than 16 KiB.',
  },
  wrongContentLength: {
    de: 'Die Antwort passt nicht zu ihrer Content-Length.',
    en: 'The response does not match its Content-Length.',
  },
  notHttp: { de: 'Die Antwort ist kein gültiges HTTP/1.1.', en: 'The response is not valid HTTP/1.1.' },
  interimAnswers: {
    de: 'Der Server hat zu viele Zwischenantworten (1xx) gesendet.',
    en: 'The server sent too many interim responses (1xx).',
  },
  serviceStopped: {
    de: 'Der Dienst wurde während des Versuchs beendet.',
    en: 'The service was stopped during the attempt.',
  },
  eventDeleted: { de: 'Das Ereignis wurde bereits gelöscht.', en: 'The event was already deleted.' },
  messageNotMade: {
    de: 'Die Nachricht konnte nicht erstellt werden. Wir untersuchen das Problem.',
    en: 'The message could not be created. We are investigating.',
  },
} as const;

/** The messages, by the error codes of OpenSSL. */
export const certificateFailures: Readonly<Record<string, Message>> = {
  CERT_HAS_EXPIRED: {
    de: 'Das Zertifikat des Servers ist abgelaufen.',
    en: 'The server’s certificate has expired.',
  },
  CERT_NOT_YET_VALID: {
    de: 'Das Zertifikat des Servers ist noch nicht gültig.',
    en: 'The server’s certificate is not valid yet.',
  },
  CERT_REVOKED: {
    de: 'Das Zertifikat des Servers wurde widerrufen.',
    en: 'The server’s certificate was revoked.',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    de: 'Das Zertifikat des Servers gilt nicht für diesen Host.',
    en: 'The server’s certificate is not for this host.',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    de: 'Das Zertifikat des Servers ist selbst signiert.',
    en: 'The server’s certificate is self-signed.',
  },
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  CERT_UNTRUSTED: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: incompleteChain,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: incompleteChain,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: incompleteChain,
  INVALID_PURPOSE: {
    de: 'Das Zertifikat des Servers gilt nicht für Server.',
    en: 'The server’s certificate is not for servers.',
  },
};
