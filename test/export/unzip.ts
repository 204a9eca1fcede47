import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { fromBuffer, type Entry, type ZipFile } from 'yauzl';

const open = (zip: ZipFile, entry: Entry): Promise<Readable> =>
  new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
  });

/**
 * The texts of the files in a ZIP, read with another library than the one that writes. Sizes and checksums are
 * verified.
 */
export const unzip = async (bytes: Buffer): Promise<Map<string, string>> => {
  const zip = await promisify<Buffer, { lazyEntries: true }, ZipFile>(fromBuffer)(bytes, { lazyEntries: true });
  const files = new Map<string, string>();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  zip.on('error', reject);
  zip.on('end', resolve);
  zip.on('entry', (entry: Entry) => {
    open(zip, entry)
      .then(text)
      .then((content) => {
        files.set(entry.fileName, content);
        zip.readEntry();
      })
      .catch(reject);
  });
  zip.readEntry();
  await promise;
  return files;
};
