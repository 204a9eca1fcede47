import { Notifications as MantineNotifications } from '@mantine/notifications';
import '@mantine/notifications/styles.layer.css';

/** The corner of the window where `notify` shows its messages. */
export default function Notifications() {
  return <MantineNotifications position="bottom-right" limit={2} />;
}
