import './reflection.ts';
import { isIP } from 'node:net';
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';
import { daysToMs, later } from '../../src/core/clock.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** A self-signed TLS certificate for these names and addresses, with its key, as PEM. Clients must trust `cert`. */
export const makeCertificate = async (names: readonly string[]): Promise<{ cert: string; key: string }> => {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const now = new Date();
  const alternatives = names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value }));
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=A server of the bench',
    keys,
    notBefore: later(now, -daysToMs(1)),
    notAfter: later(now, daysToMs(1)),
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension(alternatives)],
  });
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    cert: `${certificate.toString('pem')}\n`,
    key: `-----BEGIN PRIVATE KEY-----\n${key.replaceAll(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`,
  };
};
