import type { ServerResponse } from 'node:http';
import { limits } from '../core/limits.ts';
import type { Answering } from './large-reads.ts';

/** Thrown where an answer is larger than any may be: pages and values are bounded, so this is a bug of ours. */
class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
}

export const needAnswerSize = (bytes: number, most: number = limits.answerBytes): void => {
  if (bytes > most) throw new AnswerTooLarge(`the answer would have ${bytes} bytes`);
};

/** A read's place is free again once its answer is handed over, or its caller left. */
export const settleWith = ({ done }: Answering, response: ServerResponse): void => {
  if (!done) return;
  if (response.closed) done();
  else response.once('close', done);
};
