import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

// The client's npm package, which customers install from the service: `npm install …/developers/client.tgz`. Its files
// are built with the app (`npm run generate`), for any installation; the address of this one is put in when the tarball
// is made.

/** Where the service's address belongs in the built files. */
export const placeForAddress = 'https://address-of-the-service.invalid';

const built = fileURLToPath(new URL('../../../dist/client/', import.meta.url));

/** npm gives all files of a tarball this time, so that equal files make equal tarballs. */
const fileTime = Date.UTC(1985, 9, 26, 8, 15) / 1000;

const blockBytes = 512;

/** The block before a file in a tar archive, in the format ustar. Numbers are octal. */
const tarHeader = (name: string, size: number): Buffer => {
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for the tarball`);
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, start: number, digits: number) =>
    header.write(value.toString(8).padStart(digits, '0'), start);
  header.write(name, 0);
  octal(0o644, 100, 7); // mode
  octal(0, 108, 7); // owner
  octal(0, 116, 7); // group
  octal(size, 124, 11);
  octal(fileTime, 136, 11);
  header.write(' '.repeat(8), 148); // the checksum counts as spaces
  header.write('0', 156); // a regular file
  header.write('ustar\u000000', 257);
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  header.write('\0', 154);
  return header;
};

const tarOf = (files: readonly { name: string; content: Buffer }[]): Buffer =>
  Buffer.concat([
    ...files.flatMap(({ name, content }) => [
      tarHeader(name, content.length),
      content,
      Buffer.alloc(-content.length & (blockBytes - 1)),
    ]),
    Buffer.alloc(2 * blockBytes), // the end
  ]);

/** The tarball for the service at this address. Undefined if the package was not built. */
export const clientTarball = async (publicUrl: string): Promise<Buffer | undefined> => {
  const entries = await readdir(built, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  if (!paths.includes(join(built, 'package.json'))) return undefined;
  const files = await Promise.all(
    paths.toSorted().map(async (path) => ({
      name: `package/${relative(built, path)}`,
      content: Buffer.from((await readFile(path, 'utf8')).replaceAll(placeForAddress, publicUrl)),
    })),
  );
  return promisify<Buffer, Buffer>(gzip)(tarOf(files));
};
