import { Text } from '@mantine/core';
import { Fragment } from 'react';
import type { LoggedRequest } from '../../../modules/requests/schema.ts';
import { DocsLink } from '../../kit/text/text.tsx';
import { Status } from '../../kit/page/facts.tsx';
import { milliseconds } from '../../kit/text/figures.ts';
import { toneOfStatus } from './request-words.ts';

// The parts that the list and the page of a request share.

export const AnswerStatus = ({ status }: { status: number }) => <Status tone={toneOfStatus(status)}>{status}</Status>;

/** A problem code, with a link to its explanation. */
export const CodeLink = ({ code }: { code: string }) => (
  <Text span size="sm" ff="monospace" style={{ whiteSpace: 'nowrap' }}>
    <DocsLink page={`errors#${code}`}>{code}</DocsLink>
  </Text>
);

export const Duration = ({ request: { duration_ms } }: { request: LoggedRequest }) => (
  <span style={{ whiteSpace: 'nowrap' }}>{milliseconds(duration_ms)}</span>
);

/** A route in which a line may break before each part. */
export const Route = ({ text }: { text: string }) => (
  <>
    {text.split('/').map((part, at) =>
      at === 0 ? (
        part
      ) : (
        <Fragment key={at}>
          <wbr />/{part}
        </Fragment>
      ),
    )}
  </>
);
