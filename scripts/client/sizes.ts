/** Programs whose size the README of the client tells: what a bundle of each weighs. */
export const sizes = {
  client: "import { createClient } from './index.js'; globalThis.api = createClient({ key: 'k' });",
  webhooks: "import { verifyWebhook } from './index.js'; globalThis.verify = verifyWebhook;",
};
