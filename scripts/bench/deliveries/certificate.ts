import './reflection.ts';
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';
import { daysToMs, later } from '../../../src/core/clock.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

const pem = (label: string, der: ArrayBuffer): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(der).toString('base64')}\n-----END ${label}-----\n`;

/** A self-signed TLS certificate for these IPv4 addresses, with its key, as PEM. Clients must trust `cert`. */
export const makeCertificate = async (addresses: readonly string[]): Promise<{ cert: string; key: string }> => {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const now = new Date();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=A receiver of the bench',
    keys,
    notBefore: later(now, -daysToMs(1)),
    notAfter: later(now, daysToMs(1)),
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension(addresses.map((value) => ({ type: 'ip', value })))],
  });
  return {
    cert: `${certificate.toString('pem')}\n`,
    key: pem('PRIVATE KEY', await crypto.subtle.exportKey('pkcs8', keys.privateKey)),
  };
};
