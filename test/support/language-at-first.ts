import { beforeEach } from 'vitest';
import { setCurrentLanguage } from '../../src/web/language/texts.ts';

// The files of a worker share the app's current language: each test begins with the first one, whichever ran before it.

beforeEach(() => setCurrentLanguage('de'));
