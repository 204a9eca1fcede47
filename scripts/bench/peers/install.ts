// Programs that the service is compared with and that are no part of this project.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installApart } from '../../kit/install-apart.ts';

export const peersFolder = process.env['PEERS_FOLDER'] ?? join(tmpdir(), 'team-customer-api-peers');

/** The newest versions whose packages the registry had, each in a folder of its own. */
const packages = {
  light: { dependencies: { fastify: '5.12.8', 'pg-boss': '12.38.0' } },
  strapi: { dependencies: { '@strapi/strapi': '5.54.0', pg: '8.23.1' } },
  // Directus needs isolated-vm for scripts of flows; only the newer one runs on the Node of this project.
  directus: { dependencies: { directus: '12.4.0' }, overrides: { 'isolated-vm': '7.0.1' } },
};
export type PeerName = keyof typeof packages;

export const versions: Readonly<Record<string, string>> = Object.assign(
  {},
  ...Object.values(packages).map(({ dependencies }) => dependencies),
);

export const packagesOf = (name: PeerName): string => Object.keys(packages[name].dependencies).join(' and ');

/** Returns a reason if the packages can't be installed. */
export const installPeer = async (name: PeerName): Promise<string | undefined> => {
  try {
    await installApart(join(peersFolder, name), packages[name]);
    return undefined;
  } catch (error) {
    return String(error).slice(0, 300);
  }
};
