import { inflateSync } from 'node:zlib';

// What a file has that Chromium has printed. It writes each text as numbers of glyphs, and beside each font which letters
// these are.

interface Part {
  /** Its properties, as they are written. */
  words: string;
  content: Buffer;
}

const partsOf = (file: Buffer): ReadonlyMap<string, Part> => {
  const all = file.toString('latin1');
  const parts = new Map<string, Part>();
  for (const { index, 0: head, 1: id = '' } of all.matchAll(/^(\d+) 0 obj\s/gm)) {
    const from = index + head.length;
    const end = all.indexOf('endobj', from);
    const stream = /stream\r?\n/g;
    stream.lastIndex = from;
    const start = stream.exec(all);
    const words = all.slice(from, Math.min(end, start?.index ?? end));
    const length = Number(/\/Length (\d+)/.exec(words)?.[1] ?? 0);
    const begin = start ? start.index + start[0].length : end;
    const content = file.subarray(begin, begin + length);
    parts.set(id, { words, content: words.includes('/FlateDecode') ? inflateSync(content) : content });
  }
  return parts;
};

const codeOf = (hex: string): number => Number.parseInt(hex, 16);
const textOf = (hex: string): string => Buffer.from(hex, 'hex').swap16().toString('utf16le');

interface Font {
  /** The hexadecimal digits of a glyph. */
  digits: number;
  letters: ReadonlyMap<number, string>;
}

/** The letters of a font's glyphs, as the file maps them. */
const fontOf = (map: string): Font => {
  const letters = new Map<number, string>();
  let digits = 4;
  for (const [, lines = ''] of map.matchAll(/beginbfchar([\s\S]*?)endbfchar/g)) {
    for (const [, glyph = '', text = ''] of lines.matchAll(/<(\w+)> <(\w+)>/g)) {
      digits = glyph.length;
      letters.set(codeOf(glyph), textOf(text));
    }
  }
  for (const [, lines = ''] of map.matchAll(/beginbfrange([\s\S]*?)endbfrange/g)) {
    for (const [, first = '', last = '', text = ''] of lines.matchAll(/<(\w+)> <(\w+)> <(\w+)>/g)) {
      digits = first.length;
      for (let glyph = codeOf(first); glyph <= codeOf(last); glyph += 1) {
        letters.set(glyph, String.fromCodePoint(codeOf(text) + glyph - codeOf(first)));
      }
    }
  }
  return { digits, letters };
};

/** The number of pages, and all texts without their spaces, which a PDF file need not have. */
export const readPdf = (file: Buffer): { pages: number; text: string } => {
  const parts = partsOf(file);
  const fonts = new Map<string, Font>();
  for (const { words } of parts.values()) {
    for (const [, name = '', id = ''] of words.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const map = /\/ToUnicode (\d+) 0 R/.exec(parts.get(id)?.words ?? '')?.[1] ?? '';
      fonts.set(name, fontOf(parts.get(map)?.content.toString('latin1') ?? ''));
    }
  }
  const pages = [...parts.values()].filter(({ words }) => /\/Type \/Page\b/.test(words));
  let text = '';
  for (const { words } of pages) {
    const id = /\/Contents (\d+) 0 R/.exec(words)?.[1] ?? '';
    let font: Font | undefined;
    for (const [, name, glyphs = ''] of (parts.get(id)?.content.toString('latin1') ?? '').matchAll(
      /\/(F\d+) [\d.]+ Tf|<([0-9A-Fa-f]+)>/g,
    )) {
      if (name !== undefined) {
        font = fonts.get(name);
        continue;
      }
      const { digits, letters } = font ?? fontOf('');
      for (let at = 0; at < glyphs.length; at += digits) {
        text += letters.get(codeOf(glyphs.slice(at, at + digits))) ?? '';
      }
    }
  }
  return { pages: pages.length, text: text.replaceAll(/\s/g, '') };
};
