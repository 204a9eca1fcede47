import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fieldMessages } from '../../src/core/messages/fields.ts';
import { sizeOfJson, RawJson } from '../../src/core/json.ts';
import { limits } from '../../src/core/limits.ts';
import { isFreeForm, makeFreeForm } from '../../src/platform/free-form.ts';

const { bodyDepth, bodyKeys, bodyValues, freeFormBytes } = limits;

/** What becomes of a text from the app: what is stored, or why it is refused. */
const sent = (text: unknown, options?: { arrays?: boolean }): unknown => {
  const { data, error } = makeFreeForm('fields', options).safeParse(text);
  if (data instanceof RawJson) return data.text;
  const [issue] = error?.issues ?? [];
  return issue?.code === 'custom' ? issue.params?.['message'] : issue?.code;
};

const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
const list = (values: number) => `{"a":[${Array.from({ length: values - 2 }, () => 1).join(',')}]}`;
const wide = (keys: number) => `{${Array.from({ length: keys }, (_, at) => `"${at}":1`).join(',')}}`;
const asBody = (text: string) => sizeOfJson(`{"fields":${text}}`);

describe('free-form JSON that the app sends as text', () => {
  it('may be what fits into a body of the API, and no more', () => {
    expect(asBody(nested(bodyDepth - 1)).depth).toBe(bodyDepth);
    expect(sent(nested(bodyDepth - 1))).toBe(nested(bodyDepth - 1));
    expect(sent(nested(bodyDepth))).toEqual(fieldMessages.tooDeep(bodyDepth - 1));

    // Texts with so many values or keys are longer than is stored, so all are refused, for different reasons.
    const tooLarge = fieldMessages.jsonTooLarge(freeFormBytes);
    expect(asBody(list(bodyValues - 1)).values).toBe(bodyValues);
    expect(sent(list(bodyValues - 1))).toEqual(tooLarge);
    expect(sent(list(bodyValues))).toEqual(fieldMessages.tooManyValues(bodyValues - 1));
    expect(asBody(wide(bodyKeys - 1)).keys).toBe(bodyKeys);
    expect(sent(wide(bodyKeys - 1))).toEqual(tooLarge);
    expect(sent(wide(bodyKeys))).toEqual(fieldMessages.tooManyKeys(bodyKeys - 1));
  });

  it('may have the size that is stored, and no byte more', () => {
    const sized = (bytes: number) => `{"a":"${'x'.repeat(bytes - '{"a":""}'.length)}"}`;
    expect(sent(sized(freeFormBytes))).toBe(sized(freeFormBytes));
    expect(sent(sized(freeFormBytes + 1))).toEqual(fieldMessages.jsonTooLarge(freeFormBytes));
  });

  it('keeps all digits of its numbers, and loses the spaces around it', () => {
    expect(sent(' {"a":12345678901234567890.10} ')).toBe('{"a":12345678901234567890.10}');
  });

  it('is an object, or a list if the field may be one', () => {
    expect(sent('[1]', { arrays: true })).toBe('[1]');
    for (const value of ['[1]', '1', 'null', '"{}"', '', 1, null, undefined]) expect(sent(value)).toBe('invalid_type');
    expect(sent('1', { arrays: true })).toBe('invalid_type');
  });

  it('is JSON that can be stored', () => {
    for (const text of ['{', '{"a":}', '{"a":1}}']) expect(sent(text)).toEqual(fieldMessages.notJson);
    expect(sent(String.raw`{"a":"\u0000"}`)).toEqual(fieldMessages.nul);
  });
});

describe('a free-form field', () => {
  it('is known as one, also if it may be null or absent', () => {
    const field = makeFreeForm('fields');
    for (const schema of [field, field.optional(), field.nullable(), field.nullish()])
      expect(isFreeForm(schema)).toBe(true);
    for (const schema of [z.object({}), z.string().optional(), z.object({ field })])
      expect(isFreeForm(schema)).toBe(false);
  });
});
