import { Anchor, Code, Group } from '@mantine/core';
import { Link } from 'react-router';
import type { Key } from '../../../modules/keys/schema.ts';
import { Copy } from '../../kit/copy.tsx';
import { Facts } from '../../kit/facts.tsx';
import type { Fact } from '../../kit/facts.tsx';
import { ExactTime } from '../../kit/formats.tsx';
import { useText } from '../../language/language.tsx';
import { KeyState, LastUse, Maker, Prefix } from './key-words.tsx';

const KeyLink = ({ id, children }: { id: string; children: string }) => (
  <Anchor component={Link} to={`/keys/${id}`} size="sm">
    {children}
  </Anchor>
);

export const KeyFacts = ({ of }: { of: Key }) => {
  const t = useText();
  const { rotated_from_id: former, rotated_to_id: next } = of;
  const facts: Fact[] = [
    { name: t('Status', 'Status'), value: <KeyState of={of} /> },
    { name: t('Beginnt mit', 'Begins with'), value: <Prefix of={of.prefix} /> },
    {
      name: t('Id des Schlüssels', 'Key id'),
      value: (
        <Group gap={4} wrap="nowrap">
          <Code style={{ overflowWrap: 'anywhere' }}>{of.key_id}</Code>
          <Copy value={of.key_id} what={t('Id', 'id')} />
        </Group>
      ),
    },
    { name: t('Angelegt', 'Made'), value: <ExactTime at={of.created_at} /> },
    { name: t('Angelegt von', 'Made by'), value: <Maker of={of} /> },
    { name: t('Zuletzt benutzt', 'Last used'), value: <LastUse of={of} /> },
    {
      name: t('Läuft ab', 'Expires'),
      value: of.expires_at === null ? t('nie', 'never') : <ExactTime at={of.expires_at} />,
    },
    {
      name: t('Erlaubte IP-Adressen', 'Allowed IP addresses'),
      value: of.allowed_ips.length === 0 ? t('alle', 'any') : <Code>{of.allowed_ips.join(', ')}</Code>,
    },
  ];
  if (former !== null) {
    facts.push({
      name: t('Löst ab', 'Replaces'),
      value: <KeyLink id={former}>{t('den früheren Schlüssel', 'the former key')}</KeyLink>,
    });
  }
  if (next !== null) {
    facts.push({
      name: t('Abgelöst durch', 'Replaced by'),
      value: <KeyLink id={next}>{t('den neuen Schlüssel', 'the new key')}</KeyLink>,
    });
  }
  return <Facts facts={facts} />;
};
