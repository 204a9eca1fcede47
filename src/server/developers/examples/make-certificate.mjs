// Creates key.pem and cert.pem: a self-signed certificate for https://localhost, valid for 30 days. Only for tests.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';

const der = (tag, ...parts) => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const size = body.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts) => der(0x30, ...parts);
const id = (hex) => der(0x06, Buffer.from(hex, 'hex'));
const time = (ms) => der(0x17, `${new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14)}Z`);
const extension = (hex, ...value) => sequence(id(hex), der(0x04, sequence(...value)));

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const algorithm = sequence(id('2a8648ce3d040302')); // ecdsa-with-SHA256
const name = sequence(der(0x31, sequence(id('550403'), der(0x0c, 'localhost'))));
const content = sequence(
  der(0xa0, der(0x02, [2])), // version 3
  der(0x02, [1], randomBytes(8)),
  algorithm,
  name,
  sequence(time(Date.now() - 3_600_000), time(Date.now() + 30 * 86_400_000)),
  name,
  publicKey.export({ type: 'spki', format: 'der' }),
  der(
    0xa3,
    sequence(
      extension('551d13', der(0x01, [255])), // may sign certificates
      extension('551d11', der(0x82, 'localhost'), der(0x87, [127, 0, 0, 1])), // its names
    ),
  ),
);
const certificate = sequence(content, algorithm, der(0x03, [0], sign('sha256', content, privateKey)));

const lines = certificate
  .toString('base64')
  .match(/.{1,64}/g)
  .join('\n');
writeFileSync('key.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
writeFileSync('cert.pem', `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`);
console.log('Wrote key.pem and cert.pem.');
