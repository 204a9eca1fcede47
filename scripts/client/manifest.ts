import root from '../../package.json' with { type: 'json' };

/**
 * An entry of the package for both module systems, each with its own types: a CJS program must not load the types of an
 * ES module.
 */
const entry = (name: string) => ({
  import: { types: `./types/${name}.d.ts`, default: `./${name}.js` },
  require: { types: `./types/${name}.d.cts`, default: `./${name}.cjs` },
});

/** The package.json of the client. Its version is that of the service it was made with. */
export const manifest = {
  name: 'team-customer-api-client',
  version: root.version,
  description: 'Typed client of the Team Customer API, verification of its webhooks, and a local receiver',
  license: root.license,
  type: 'module',
  sideEffects: false,
  main: './index.cjs',
  module: './index.js',
  types: './types/index.d.ts',
  exports: {
    '.': entry('index'),
    './webhooks': entry('webhooks'),
    './package.json': './package.json',
  },
  // For TypeScript's old module resolution (before Node16), which ignores `exports`.
  typesVersions: { '*': { webhooks: ['./types/webhooks.d.ts'] } },
  bin: { 'team-customer-api-client': './cli.js' },
  engines: { node: '>=20' },
  keywords: ['training', 'api-client', 'webhooks'],
};

/** The name that Python programs import. */
export const pythonName = manifest.name.replaceAll('-', '_');

/** The folder with the metadata of the package for Python. A wheel has the name before `.dist-info`. */
export const pythonMetadataFolder = `${pythonName}-${root.version}.dist-info`;

/** The metadata of the package for Python, which has no dependencies. Its README follows. */
export const pythonMetadata = `Metadata-Version: 2.1
Name: ${manifest.name}
Version: ${root.version}
Summary: Typed client of the Team Customer API, and verification of its webhooks
License: ${root.license}
Keywords: ${manifest.keywords.join(',')}
Classifier: Typing :: Typed
Requires-Python: >=3.9
Description-Content-Type: text/markdown
`;

/** The file WHEEL. It says that the package is for every system and every Python 3. */
export const wheelFile = `Wheel-Version: 1.0
Generator: ${manifest.name}
Root-Is-Purelib: true
Tag: py3-none-any
`;
