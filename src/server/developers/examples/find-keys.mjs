// Prints where files contain API keys, and exits with 1 if there are any: node find-keys.mjs FILE...
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib'; // from Node 20.15 on

const pattern = /svck_live_[A-Za-z0-9]{12}_[A-Za-z0-9]{43}/g;
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const checksumOf = (text) => {
  let rest = crc32(text);
  let checksum = '';
  for (let digit = 0; digit < 6; digit += 1) {
    checksum = digits[rest % 62] + checksum;
    rest = Math.floor(rest / 62);
  }
  return checksum;
};

for (const file of process.argv.slice(2)) {
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    for (const [key] of line.matchAll(pattern)) {
      if (!key.endsWith(checksumOf(key.slice(0, -6)))) continue;
      console.log(`${file}:${index + 1}: ${key.slice(0, 22)}…`);
      process.exitCode = 1;
    }
  }
}
