// Which part may import which (docs/architecture.md). Types count as imports: they are dependencies of a reader too.
/** Tests, their data, and the programs they start. */
const TEST = '(\\.test(-d|-data)?|/test-[^/]+)\\.ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment:
        'Two files that need each other are one file, or a third is missing. A command that is loaded when it is asked for may need the frame that loads it.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['dynamic-import'] } },
    },
    {
      name: 'resolvable',
      comment: 'Every import leads to a file or an installed package.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'declared',
      comment:
        'A package is named in the package.json of whoever imports it; tests may use what the root names.',
      severity: 'error',
      from: { pathNot: TEST },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-development-packages',
      comment: 'What ships may not need what only developers install.',
      severity: 'error',
      from: { path: '^(protocol|gateway|agent-node)/src/', pathNot: [TEST, '-contract\\.ts$'] },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/@types/',
      },
    },
    {
      name: 'protocol-stands-alone',
      comment: 'Everyone imports protocol; protocol imports nobody.',
      severity: 'error',
      from: { path: '^protocol/' },
      to: { path: '^(gateway|agent-node|dashboard|tests|bench)/' },
    },
    {
      name: 'protocol-runs-in-the-browser',
      comment: 'No modules of Node in protocol.',
      severity: 'error',
      from: { path: '^protocol/src/', pathNot: TEST },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'workflow-stays-light',
      comment:
        'Bundles import @uncaged/protocol/workflow; it brings in neither JSONata nor Mustache.',
      severity: 'error',
      from: { path: '^protocol/src/workflow/', pathNot: TEST },
      to: { path: 'node_modules/(jsonata|mustache)/', reachable: true },
    },
    {
      name: 'gateway-imports-protocol-only',
      severity: 'error',
      comment: 'Of the dashboard it needs to know where its files are.',
      from: { path: '^gateway/' },
      to: { path: '^(agent-node|dashboard|tests|bench)/', pathNot: '^dashboard/index\\.' },
    },
    {
      name: 'agent-node-imports-protocol-only',
      severity: 'error',
      from: { path: '^agent-node/' },
      to: { path: '^(gateway|dashboard|tests|bench)/', pathNot: '^dashboard/index\\.' },
    },
    {
      name: 'dashboard-imports-the-api-only',
      severity: 'error',
      from: { path: '^dashboard/' },
      to: { path: '^(gateway|agent-node|tests|bench|protocol/src/(?!api/))' },
    },
    {
      name: 'module-doors',
      comment:
        'A folder under src is a module, and so is each feature of the dashboard. Others import its index.ts, which says what is meant for them.',
      severity: 'error',
      from: { path: '^([^/]+)/src/(features/[^/]+|[^/]+)/' },
      to: {
        path: '^$1/src/[^/]+/',
        pathNot: ['^$1/src/$2/', '^$1/src/(features/[^/]+|[^/]+)/index\\.tsx?$', TEST],
      },
    },
    {
      name: 'test-parts-are-for-tests',
      comment: 'What ships does not build on what only tests need.',
      severity: 'error',
      from: { pathNot: [TEST, '^tests/', '^bench/'] },
      to: { path: TEST },
    },
    {
      name: 'package-doors',
      comment: 'The same from one package to another.',
      severity: 'error',
      from: { path: '^(gateway|agent-node|dashboard)/' },
      to: {
        path: '^(gateway|agent-node|dashboard|protocol)/src/[^/]+/',
        pathNot: ['^$1/', '/src/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'one-place-for-sqlite',
      comment: 'The store owns the database.',
      severity: 'error',
      from: { path: '^[^/]+/src/', pathNot: ['^agent-node/src/store/', TEST] },
      to: { path: 'node_modules/(@types/)?better-sqlite3/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json', '.d.ts'],
    },
  },
};
