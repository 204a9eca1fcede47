import { Menu, Text } from '@mantine/core';
import { IconBook, IconCheck, IconKeyboard, IconLanguage, IconLogout, IconUser } from '@tabler/icons-react';
import { cloneElement, type ReactElement, type RefAttributes } from 'react';
import { Link } from 'react-router';
import { useIsPhone } from '../kit/page/is-phone.ts';
import { useOpenAtOnce } from '../kit/page/open-at-once.ts';
import { docsAddress, Hint } from '../kit/text/text.tsx';
import { t } from '../language/language.tsx';
import { useKeepLanguage } from '../session/own-language.ts';
import { useSignOut } from '../session/sign-out.ts';
import { useSignedIn } from '../session/signed-in.tsx';
import { otherLanguage, useOtherScheme } from './choices.tsx';

// The menus of the header. Their code is loaded when the reader is about to open one.

/** The element that opens the menu. It accepts a ref and the properties of a button. */
export type Opener = ReactElement<RefAttributes<HTMLButtonElement>>;

/**
 * The menus are inside the landmark of the header. They have no element that only takes the focus, because a menu may
 * contain only items that can be chosen.
 */
const inHeader = { withinPortal: false, withInitialFocusPlaceholder: false };

export const TeamMenu = ({ opener }: { opener: Opener }) => {
  const { me, team, switchTeam } = useSignedIn();
  const { opened, onChange, button } = useOpenAtOnce();
  return (
    <Menu position="bottom-start" width={280} opened={opened} onChange={onChange} {...inHeader}>
      <Menu.Target>{cloneElement(opener, { ref: button })}</Menu.Target>
      <Menu.Dropdown>
        {me.teams.map(({ tenant_id, name }) => (
          <Menu.Item
            key={tenant_id}
            leftSection={
              tenant_id === team.tenant_id ? <IconCheck size={16} aria-hidden /> : <span style={{ width: 16 }} />
            }
            onClick={() => switchTeam(tenant_id)}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
};

/** Links to the account, the documentation and the shortcuts, and the sign-out. */
export const AccountMenu = ({ opener, onShortcuts }: { opener: Opener; onShortcuts: () => void }) => {
  const { opened, onChange, button } = useOpenAtOnce();
  const { me } = useSignedIn();
  const isPhone = useIsPhone();
  const leave = useSignOut();
  return (
    <Menu position="bottom-end" width={240} opened={opened} onChange={onChange} {...inHeader}>
      <Menu.Target>{cloneElement(opener, { ref: button })}</Menu.Target>
      <Menu.Dropdown>
        <Text role="none" size="sm" px="sm" pt="xs" fw={600} truncate>
          {me.name ?? me.email}
        </Text>
        <Hint role="none" size="xs" px="sm" pb="xs" truncate>
          {me.email}
        </Hint>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<IconUser size={16} aria-hidden />}>
          {t('Konto und Sicherheit', 'Account and security')}
        </Menu.Item>
        <Menu.Item component="a" href={docsAddress()} leftSection={<IconBook size={16} aria-hidden />}>
          {t('API-Dokumentation', 'API documentation')}
        </Menu.Item>
        {isPhone ? (
          <Choices />
        ) : (
          <Menu.Item leftSection={<IconKeyboard size={16} aria-hidden />} onClick={onShortcuts}>
            {t('Tastenkürzel …', 'Keyboard shortcuts …')}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void leave()}>
          {t('Abmelden', 'Sign out')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
};

/** The other language and theme, for which the header of a phone has no room. */
const Choices = () => {
  const language = otherLanguage(useKeepLanguage());
  const scheme = useOtherScheme();
  return (
    <>
      <Menu.Item lang={language.lang} leftSection={<IconLanguage size={16} aria-hidden />} onClick={language.choose}>
        {language.name}
      </Menu.Item>
      <Menu.Item leftSection={<scheme.Icon size={16} aria-hidden />} onClick={scheme.choose}>
        {scheme.label}
      </Menu.Item>
    </>
  );
};
