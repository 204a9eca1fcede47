// Which folder may import which: a folder imports only what stands before it in this list.

/** The folders and entry points of src/. Two folders of one line can't import each other. */
const layers = [
  ['core'],
  ['db', 'platform/telemetry'],
  ['egress'],
  ['platform'],
  ['deliveries'],
  ['modules'],
  ['server/http'],
  ['server/rest', 'server/app', 'worker'],
  ['server/mcp', 'server/scim', 'server/developers'],
  ['config.ts'],
  ['run'],
  ['cli'],
  ['main.ts'],
  // Nothing imports it: only the command of the packed service starts it.
  ['packages/sandbox'],
];

/** Folders with rules of their own below: the React app takes types alone, the examples are for customers, the client is their package. */
const apart = ['web', 'server/developers/examples', 'packages/client'];

const isFile = (name) => name.endsWith('.ts');
const pathOf = (names) =>
  `^src/(${names.map((name) => (isFile(name) ? `${name.replace('.', '\\.')}$` : `${name}/`)).join('|')})`;

const oneWay = layers.flatMap((line, index) =>
  line.map((name) => {
    const sameOrLater = layers.slice(index).flat();
    // Folders of earlier lines that are within one of these.
    const earlier = layers
      .slice(0, index)
      .flat()
      .filter((lower) => sameOrLater.some((other) => lower.startsWith(`${other}/`)));
    const within = layers.flat().filter((other) => other.startsWith(`${name}/`));
    return {
      name: `${name.replace('.ts', '')}-imports-what-is-listed-before-it`,
      comment: 'Types too: a type that an earlier folder needs is in the wrong place.',
      from: { path: pathOf([name]), ...(within.length > 0 && { pathNot: pathOf(within) }) },
      to: {
        path: pathOf(sameOrLater),
        pathNot: [...(isFile(name) ? [] : [pathOf([name])]), ...(earlier.length > 0 ? [pathOf(earlier)] : [])],
      },
    };
  }),
);

/** The pairs of modules that import each other, and why. The other modules have no cycle, of two or of more. */
const mutualModules = [
  // A training starts and completes its assignment. An assignment lists its trainings, and its deletion detaches them.
  ['assignments', 'trainings'],
  // Signing in asks for the team's provider. Removing a provider ends the sessions that began with it.
  ['company-sign-in', 'sign-ins'],
  // A session connects assistants and ends them. A connection that is being made holds its session, so that neither slips past the other.
  ['assistants', 'sign-ins'],
];

const moduleIn = (names) => `^src/modules/(${names.join('|')})$`;
const inMutualModules = [...new Set(mutualModules.flat())];

const modulesInOneDirection = [
  { from: { path: '^src/modules/[^/]+$', pathNot: moduleIn(inMutualModules) }, to: {} },
  ...inMutualModules.map((name) => {
    const others = mutualModules.filter((pair) => pair.includes(name)).flat();
    return { from: { path: moduleIn([name]) }, to: { pathNot: moduleIn(others) } };
  }),
].map(({ from, to }) => ({
  name: 'modules-import-in-one-direction',
  comment: 'Of two modules one can be read first. What both need belongs below them, what joins them above.',
  scope: 'folder',
  from,
  to: { path: '^src/modules/[^/]+$', circular: true, ...to },
}));

const forbidden = [
  ...oneWay,
  {
    name: 'every-folder-has-its-line',
    comment: 'A new folder of src/ is entered in the list of layers.',
    from: {},
    to: { path: '^src/', pathNot: pathOf([...layers.flat(), ...apart]) },
  },
  {
    name: 'no-cycles',
    comment: 'A cycle has no order to read it in. Types may refer to each other.',
    from: { pathNot: '^src/db/generated' },
    to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
  },
  ...modulesInOneDirection,
  {
    name: 'resolvable',
    comment: 'An import that leads nowhere.',
    from: {},
    to: { couldNotResolve: true, dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'rules-tell-no-telemetry',
    comment: 'The adapters, the worker and the composition report what happens, not the rules.',
    from: { path: '^src/(core|db|egress|modules|platform/trpc)/' },
    to: { path: '^src/platform/telemetry/' },
  },
  {
    name: 'rules-know-no-transport',
    comment: "A module's rules and shapes work the same under REST, the app, the worker and the command line.",
    from: { path: '^src/modules/[^/]+/', pathNot: '/(public|app|procedures)\\.ts$' },
    to: { path: ['^src/(platform/trpc|server|worker|web)/', '^node_modules/(@trpc|express|trpc-to-openapi)/'] },
  },
  {
    name: 'tables-and-procedures-are-a-modules-own',
    comment:
      "A module imports neither another one's stores nor its procedures: it calls its rules. Exceptions are the reports, and four stores that others write in: windows, sign-ins, people and trainings. The export of a team and the erasure of a person read and change the tables of all modules, so they import the stores.",
    from: { path: '^src/modules/([^/]+)/', pathNot: '^src/modules/(export/tables|erasure/(steps|service))\\.ts$' },
    to: {
      path: '^src/modules/[^/]+/[a-z-]*(store|public|app)\\.ts$',
      pathNot: [
        '^src/modules/$1/',
        '^src/modules/(reporting|windows|sign-ins|people|trainings)/(store|read-store)\\.ts$',
        '^src/modules/(membership|directory)/store\\.ts$',
      ],
    },
  },
  {
    name: 'memberships-change-by-the-rules-of-members',
    comment: 'The others ask `membership/service.ts` who is a member.',
    from: { path: '^src/', pathNot: '^src/modules/(membership|members|export|erasure)/' },
    to: { path: '^src/modules/membership/store\\.ts$' },
  },
  {
    name: 'cells-have-one-door',
    comment: 'A reader who runs a plain PostgreSQL meets nothing of Citus. One file chooses the connections.',
    from: { path: '^src/', pathNot: '^src/(db/cells/|run/database\\.ts$)' },
    to: { path: '^src/db/cells/' },
  },
  {
    name: 'the-directory-speaks-by-the-rules-of-provisioning',
    comment: 'What a directory said of a person is read and written there. The others ask `directory/service.ts`.',
    from: { path: '^src/', pathNot: '^src/modules/(directory|provisioning|export|erasure)/' },
    to: { path: '^src/modules/directory/store\\.ts$' },
  },
  {
    name: 'persistence-stays-in-db-and-services',
    comment: 'Only db/ and the services speak to PostgreSQL; everything else asks a service.',
    from: {
      path: ['^src/(core|platform/trpc|server/rest|server/app|web)/', '^src/modules/[^/]+/(public|app|schema)\\.ts$'],
    },
    to: { path: ['^src/db/(generated|database|query)', '^node_modules/(@prisma|pg|graphile-worker)/'] },
  },
  {
    name: 'web-takes-types-only',
    comment:
      'And the rule for addresses, so that a form and the server can not disagree about one, exact numbers, and the time zone of a team’s days.',
    from: { path: '^src/web/' },
    to: {
      path: '^src/',
      pathNot: ['^src/web/', '^src/core/(email-address|exact-json|time-zone)\\.ts$'],
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'web-is-a-leaf',
    from: { path: '^src/', pathNot: '^src/web/' },
    to: { path: '^src/web/' },
  },
  {
    name: 'client-is-apart',
    comment: 'It is a package of its own: it imports nothing of the service, and the service nothing of it.',
    from: { path: '^src/packages/client/' },
    to: { pathNot: '^src/packages/client/', dependencyTypesNot: ['core'] },
  },
  {
    name: 'the-library-needs-no-node',
    comment: "Browsers and edge runtimes load it. Only its commands import Node's modules.",
    from: { path: '^src/packages/client/', pathNot: '^src/packages/client/cli/' },
    to: { pathNot: '^src/packages/client/(?!cli/)' },
  },
  {
    name: 'service-knows-no-client',
    comment: 'The examples of the documentation import it as a customer does; nothing of the service loads them.',
    from: { path: '^src/', pathNot: '^src/(packages/client|server/developers/examples)/' },
    to: { path: '^src/packages/client/' },
  },
  {
    name: 'product-code-knows-no-tests',
    from: { path: '^(src|scripts)/' },
    to: { path: '^test/' },
  },
  {
    name: 'product-code-needs-no-dev-dependency',
    from: { path: '^src/', pathNot: '^src/(web|server/developers/examples)/' },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: '^node_modules/@types/' },
  },
];

module.exports = {
  forbidden: forbidden.map((rule) => ({ severity: 'error', ...rule })),
  options: {
    doNotFollow: { path: ['node_modules', '^src/db/generated'] },
    exclude: { path: '^src/db/generated/.+/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
    builtInModules: { add: ['node:sqlite'] },
  },
};
