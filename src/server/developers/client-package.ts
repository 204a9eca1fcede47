import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ZipFile } from 'yazl';
import { serviceVersion } from '../../core/product.ts';

// The clients' packages, which customers install from the service: `npm install …/developers/client.tgz`, and for
// Python `pip install …/developers/client-py/….whl`. Their files are built with the app (`npm run generate`) and are
// the same for all installations. The address of this installation is put in when a package is made.

/** Where the service's address belongs in the built files. */
export const placeForAddress = 'https://address-of-the-service.invalid';

const folderOf = (name: string): string => fileURLToPath(new URL(`../../../dist/${name}/`, import.meta.url));

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

interface BuiltFile {
  name: string;
  content: Buffer;
}

/** The files of a package for the service at this address, in one order. Undefined if it was not built. */
const filesOf = async (folder: string, publicUrl: string): Promise<BuiltFile[] | undefined> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  if (paths.length === 0) return undefined;
  return Promise.all(
    paths.toSorted().map(async (path) => ({
      name: relative(folder, path),
      content: Buffer.from((await readFile(path, 'utf8')).replaceAll(placeForAddress, publicUrl)),
    })),
  );
};

/** The tarball for the service at this address. Undefined if the package was not built. */
export const clientTarball = async (publicUrl: string): Promise<Buffer | undefined> => {
  const files = await filesOf(folderOf('client'), publicUrl);
  if (!files?.some(({ name }) => name === 'package.json')) return undefined;
  const named = files.map(({ name, content }) => ({ name: `package/${name}`, content }));
  return promisify<Buffer, Buffer>(gzip)(tarOf(named));
};

const pythonPackage = `team_customer_api_client-${serviceVersion}`;

/** The wheel's file name, from which installers read its name and version. */
export const wheelName = `${pythonPackage}-py3-none-any.whl`;

/** Zip files have no times before 1980. The parts of this time are in the time zone of the process. */
const wheelTime = new Date(1980, 0, 1);

/** A line with a checksum for each file, and one without for the list itself. */
const recordOf = (files: readonly BuiltFile[], record: string): string => {
  const lines = files.map(({ name, content }) => {
    const checksum = createHash('sha256').update(content).digest('base64url');
    return `${name},sha256=${checksum},${content.length}\n`;
  });
  return `${lines.join('')}${record},,\n`;
};

/** The wheel for the service at this address: the files as a zip, and a list of them. Undefined if it was not built. */
export const clientWheel = async (publicUrl: string): Promise<Buffer | undefined> => {
  const files = await filesOf(folderOf('client-py'), publicUrl);
  if (!files?.some(({ name }) => name === `${pythonPackage}.dist-info/METADATA`)) return undefined;
  const record = `${pythonPackage}.dist-info/RECORD`;
  const zip = new ZipFile();
  // Equal files make equal wheels, so that the checksum in a file of requirements stays right.
  for (const { name, content } of [...files, { name: record, content: Buffer.from(recordOf(files, record)) }])
    zip.addBuffer(content, name, { mtime: wheelTime, mode: 0o100644, forceDosTimestamp: true });
  zip.end();
  return buffer(zip.outputStream);
};
