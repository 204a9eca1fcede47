import type { z } from 'zod';
import { SyncFailure } from './provider.ts';

/** Texts of the positions at which a sync goes on. */
export interface PositionText<Position> {
  write(position: Position): string;
  /** Throws `SyncFailure` for a text that `write` did not make. */
  read(text: string): Position;
}

/**
 * A position is kept between two pages, perhaps while the service gets a new version: its text begins with the name and version of its
 * form, so that a position of an older form is recognised and not misread. The run that has it fails, and the next one begins anew.
 */
export const positionText = <Form extends z.ZodType>(version: string, form: Form): PositionText<z.output<Form>> => {
  const write = (position: z.output<Form>): string =>
    `${version}.${Buffer.from(JSON.stringify(form.parse(position))).toString('base64url')}`;

  return {
    write,
    read: (text) => {
      const [name, payload = '', ...rest] = text.split('.');
      if (name === version && rest.length === 0) {
        const position = form.safeParse(parsed(Buffer.from(payload, 'base64url').toString('utf8')));
        // One position has one text: whatever decodes to it in another way was not written here.
        if (position.success && write(position.data) === text) return position.data;
      }
      throw new SyncFailure(
        'malformed',
        'The place where the last run stopped can’t be read. The next run begins anew.',
      );
    },
  };
};

/** The text of a position does not belong to this run. */
export const unreadable = (): SyncFailure =>
  new SyncFailure('malformed', 'The place where the last run stopped can’t be read. The next run begins anew.');

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
