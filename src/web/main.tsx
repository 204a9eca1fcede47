import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './theme/page.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { speakForFields } from './language/field-messages.ts';

const root = document.getElementById('root');
if (!root) throw new Error('the page has no place for the app');
speakForFields();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
