import { X509Certificate, generateKeyPairSync, sign } from 'node:crypto';
import { daysToMs, later } from '../../../src/core/clock.ts';

/** A self-signed TLS certificate with its key, as PEM. Clients must trust `cert`. */
export interface Certificate {
  cert: string;
  key: string;
}

/** The shortest DER encoding of a length. */
const lengthOf = ({ length }: Uint8Array): number[] => {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
};

/** A value of DER: its tag, its length, its content. */
const der = (tag: number, ...content: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(body)]), body]);
};

const sequence = (...content: readonly Uint8Array[]) => der(0x30, ...content);
const identifier = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const integer = (value: number) => der(0x02, Buffer.from([value]));
/** `YYMMDDhhmmssZ` */
const time = (at: Date) => der(0x17, Buffer.from(`${at.toISOString().replaceAll(/\D/g, '').slice(2, 14)}Z`));

const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'));
const commonName = identifier('550403');
const alternativeNames = identifier('551d11');
const version3 = der(0xa0, integer(2));

/** A certificate for these IPv4 addresses, signed by itself, valid for two days. */
export const makeCertificate = (addresses: readonly string[], now = new Date()): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from('A receiver of the bench')))));
  const names = addresses.map((address) => der(0x87, Buffer.from(address.split('.').map(Number))));
  const signed = sequence(
    version3,
    integer(1),
    ecdsaWithSha256,
    name,
    sequence(time(later(now, -daysToMs(1))), time(later(now, daysToMs(1)))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(alternativeNames, der(0x04, sequence(...names))))),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', signed, privateKey));
  const certificate = new X509Certificate(sequence(signed, ecdsaWithSha256, signature));
  return {
    cert: certificate.toString(),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
};
