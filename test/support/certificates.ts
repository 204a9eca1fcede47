import '../../scripts/kit/reflection.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A TLS server's certificate with its key, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface Certificates {
  /** The authority that signed all certificates except the self-signed one, as PEM. */
  readonly ca: string;
  /** The path of a file with `ca`, which is deleted when this process ends. */
  caFile(): string;
  /** For 127.0.0.1, ::1 and localhost. */
  readonly server: Certificate;
  /** Like `server`, but expired yesterday. */
  readonly expired: Certificate;
  /** From the same authority, but only for `somebody-else.example`. */
  readonly wrongHost: Certificate;
  /** Like `server`, but self-signed. */
  readonly selfSigned: Certificate;
  /** A certificate for these names and addresses. */
  serverFor(names: readonly string[]): Promise<Certificate>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const aDay = 86_400_000;
const fromNow = (days: number): Date => new Date(Date.now() + days * aDay);

const makeKeys = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

const pem = (label: string, der: ArrayBuffer): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(der).toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;

const withKey = async (cert: string, keys: Awaited<ReturnType<typeof makeKeys>>): Promise<Certificate> => ({
  cert,
  key: pem('PRIVATE KEY', await crypto.subtle.exportKey('pkcs8', keys.privateKey)),
});

const alternativeNames = (names: readonly string[]) =>
  new SubjectAlternativeNameExtension(
    names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
  );

const localNames = ['127.0.0.1', '::1', 'localhost'];

const makeCertificates = async (): Promise<Certificates> => {
  const authorityName = 'CN=Authority of the tests';
  const authorityKeys = await makeKeys();
  const authority = await X509CertificateGenerator.createSelfSigned({
    name: authorityName,
    keys: authorityKeys,
    notBefore: fromNow(-30),
    notAfter: fromNow(30),
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });

  const issue = async (names: readonly string[], notAfter = fromNow(20)): Promise<Certificate> => {
    const keys = await makeKeys();
    const certificate = await X509CertificateGenerator.create({
      subject: 'CN=A receiver of the tests',
      issuer: authorityName,
      publicKey: keys.publicKey,
      signingKey: authorityKeys.privateKey,
      notBefore: fromNow(-20),
      notAfter,
      signingAlgorithm: algorithm,
      extensions: [new BasicConstraintsExtension(false), alternativeNames(names)],
    });
    return withKey(`${certificate.toString('pem')}\n`, keys);
  };

  const issueToItself = async (names: readonly string[]): Promise<Certificate> => {
    const keys = await makeKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: 'CN=Trust me',
      keys,
      notBefore: fromNow(-20),
      notAfter: fromNow(20),
      signingAlgorithm: algorithm,
      extensions: [alternativeNames(names)],
    });
    return withKey(`${certificate.toString('pem')}\n`, keys);
  };

  const ca = `${authority.toString('pem')}\n`;
  let path: string | undefined;
  return {
    ca,
    caFile: () => (path ??= temporaryFile('ca.pem', ca)),
    server: await issue(localNames),
    expired: await issue(localNames, fromNow(-1)),
    wrongHost: await issue(['somebody-else.example']),
    selfSigned: await issueToItself(localNames),
    serverFor: (names) => issue(names),
  };
};

const temporaryFile = (name: string, content: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'team-customer-api-certificates-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

let made: Promise<Certificates> | undefined;

/** An authority and its certificates, made once per process. */
export const certificates = (): Promise<Certificates> => (made ??= makeCertificates());
