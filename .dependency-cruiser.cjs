// Which folder may import which: the arrows run one way,
//   core ← db, egress, telemetry ← platform ← modules' services ← modules' procedures ← rest | app | worker ← main

const forbidden = [
  {
    name: 'no-cycles',
    comment: 'A cycle has no order to read it in. Types may refer to each other.',
    from: { pathNot: '^src/db/generated' },
    to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
  },
  {
    name: 'resolvable',
    comment: 'An import that leads nowhere.',
    from: {},
    to: { couldNotResolve: true, dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'core-stands-alone',
    from: { path: '^src/core/' },
    to: { path: '^src/', pathNot: '^src/core/' },
  },
  {
    name: 'db-knows-core-only',
    from: { path: '^src/db/' },
    to: { path: '^src/', pathNot: '^src/(core|db)/' },
  },
  {
    name: 'egress-knows-core-only',
    from: { path: '^src/egress/' },
    to: { path: '^src/', pathNot: '^src/(core|egress)/' },
  },
  {
    name: 'telemetry-knows-core-only',
    comment: 'Whoever has numbers hands it a function.',
    from: { path: '^src/telemetry/' },
    to: { path: '^src/', pathNot: '^src/(core|telemetry)/' },
  },
  {
    name: 'rules-tell-no-telemetry',
    comment: 'What happens is told by whoever runs it: the adapters, the worker, the composition root.',
    from: { path: '^src/(core|db|egress|modules|trpc)/' },
    to: { path: '^src/telemetry/' },
  },
  {
    name: 'platform-knows-what-is-below',
    from: { path: '^src/platform/' },
    to: { path: '^src/', pathNot: '^src/(core|db|egress|platform|telemetry)/' },
  },
  {
    name: 'rules-know-no-transport',
    comment: "A module's rules and shapes work the same under REST, the app, the worker and the command line.",
    from: { path: '^src/modules/[^/]+/', pathNot: '/(public|app)\\.ts$' },
    to: { path: ['^src/(trpc|rest|app|worker|web)/', '^node_modules/(@trpc|express|trpc-to-openapi)/'] },
  },
  {
    name: 'procedures-know-no-adapter',
    from: { path: ['^src/modules/', '^src/trpc/'] },
    to: { path: '^src/(rest|app|worker|web)/' },
  },
  {
    name: 'trpc-kit-knows-services-only',
    from: { path: '^src/trpc/' },
    to: { path: '^src/modules/', pathNot: '/service\\.ts$', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'modules-meet-at-the-front-door',
    comment:
      "Another module's service.ts or schema.ts is its front door. Below all modules stand membership.ts and the reports.",
    from: { path: '^src/modules/([^/]+)/' },
    to: {
      path: '^src/modules/[^/]+/',
      pathNot: [
        '^src/modules/$1/',
        '^src/modules/[^/]+/(service|schema)\\.ts$',
        '^src/modules/(members/membership|reporting/store)\\.ts$',
      ],
    },
  },
  {
    name: 'adapters-leave-each-other-alone',
    from: { path: '^src/(rest|app|worker)/' },
    to: { path: '^src/(rest|app|worker)/', pathNot: '^src/$1/', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'persistence-stays-in-db-and-services',
    comment: 'Only db/ and the services speak to PostgreSQL; everything else asks a service.',
    from: { path: ['^src/(core|trpc|rest|app|web)/', '^src/modules/[^/]+/(public|app|schema)\\.ts$'] },
    to: { path: ['^src/db/(generated|database|statement)', '^node_modules/(@prisma|pg|graphile-worker)/'] },
  },
  {
    name: 'only-the-roots-wire',
    comment: 'What puts the parts together is imported by nothing but entry points.',
    from: { pathNot: '^(src/(main|run-role|service|cli|foundation)\\.ts|src/cli/|scripts/|test/)' },
    to: { path: '^src/(main|run-role|service|cli|foundation)\\.ts$', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'the-supervisor-loads-next-to-nothing',
    comment: 'Its process must have nothing that could break or fill its memory.',
    from: { path: '^src/(main|supervise-all|supervisor|stop-signal|role)\\.ts$' },
    to: {
      path: ['^src/', '^node_modules/'],
      pathNot: '^src/(supervise-all|supervisor|stop-signal|role|core/log|run-role)\\.ts$',
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'web-takes-types-only',
    comment: 'And the rule for addresses, so that a form and the server can not disagree about one.',
    from: { path: '^src/web/' },
    to: {
      path: '^src/',
      pathNot: ['^src/web/', '^src/core/email-address\\.ts$'],
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'web-is-a-leaf',
    from: { path: '^src/', pathNot: '^src/web/' },
    to: { path: '^src/web/' },
  },
  {
    name: 'product-code-knows-no-tests',
    from: { path: '^(src|scripts)/' },
    to: { path: '^test/' },
  },
  {
    name: 'product-code-needs-no-dev-dependency',
    from: { path: '^src/', pathNot: '^src/web/' },
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
