/** Who may import what. */

/**
 * What each folder may import besides itself. `type` allows types only. A folder that is not
 * listed here may not exist.
 */
export const allowedFolders: Record<string, Record<string, 'any' | 'type'>> = {
  contract: {},
  config: { contract: 'any' },
  migrations: {},
  store: { contract: 'any', migrations: 'any', config: 'type', 'lib/limits': 'any', 'lib/timing': 'any' },
  commands: { contract: 'any', store: 'any', config: 'type' },
  workflows: { contract: 'any', activities: 'type' },
  'lib/redaction': {},
  'lib/passkeys': { contract: 'any' },
  'lib/limits': {},
  'lib/timing': {},
  'lib/outbound': { contract: 'any', 'lib/limits': 'any', 'lib/timing': 'any' },
  'lib/oauth': { contract: 'any', 'lib/outbound': 'any', 'lib/limits': 'any', 'lib/timing': 'any' },
  'lib/oci': { contract: 'any', 'lib/outbound': 'any', 'lib/limits': 'any', 'lib/timing': 'any' },
  'lib/patterns': { contract: 'any', 'lib/limits': 'any', 'lib/timing': 'any' },
  activities: {
    contract: 'any',
    config: 'any',
    store: 'any',
    commands: 'any',
    runtime: 'any',
    'lib/passkeys': 'any',
    'lib/redaction': 'any',
    'lib/oauth': 'any',
    'lib/oci': 'any',
    'lib/outbound': 'any',
    'lib/patterns': 'any',
    'lib/limits': 'any',
    'lib/timing': 'any',
    workflows: 'type',
  },
  runtime: {
    contract: 'any',
    config: 'any',
    'lib/outbound': 'any',
    'lib/redaction': 'any',
    'lib/oci': 'any',
    'lib/limits': 'any',
    'lib/timing': 'any',
  },
  sidecar: { contract: 'any', config: 'any', 'lib/limits': 'any', 'lib/timing': 'any' },
  relay: {
    contract: 'any',
    'lib/redaction': 'any',
    'lib/oauth': 'any',
    'lib/outbound': 'any',
    'lib/limits': 'any',
    'lib/timing': 'any',
  },
  agents: { contract: 'any', config: 'any', 'lib/limits': 'any', 'lib/timing': 'any' },
  api: {
    contract: 'any',
    config: 'any',
    store: 'any',
    commands: 'any',
    'lib/passkeys': 'any',
    'lib/redaction': 'any',
    'lib/oauth': 'any',
    'lib/oci': 'any',
    'lib/outbound': 'any',
    'lib/patterns': 'any',
    'lib/limits': 'any',
    'lib/timing': 'any',
    workflows: 'type',
  },
  'bin/start': {
    contract: 'any',
    config: 'any',
    store: 'any',
    runtime: 'any',
    'lib/limits': 'any',
    'lib/timing': 'any',
    workflows: 'type',
  },
  /** Of what is built, the types of the API. */
  web: { contract: 'any', dist: 'type' },
};
/** Composition roots and proofs may use everything. */
export const unrestricted = new Set(['bin', 'bench', 'test', 'scripts']);

/** Packages that only these folders may import. */
export const packageOwners: [RegExp, string[], string][] = [
  [/^(knex|pg)$/, ['store', 'migrations'], 'only store/ and migrations/ know SQL'],
  [/^(koa|@koa\/.*|openid-client)$/, ['api'], 'only api/ serves HTTP to people'],
  [/^@temporalio\/workflow$/, ['workflows'], 'workflow code lives in workflows/'],
  [/^(dockerode|@kubernetes\/client-node)$/, ['runtime'], 'only runtime/ talks to engines and clusters'],
  [
    /^@modelcontextprotocol\//,
    ['sidecar', 'agents', 'relay'],
    'only the sidecar, the bridge and agents speak MCP',
  ],
  [/^@simplewebauthn\/server$/, ['lib/passkeys'], 'only lib/passkeys believes what an authenticator signed'],
  [
    /^(react|react-dom|wouter|openapi-fetch|vite|@simplewebauthn\/browser|@mantine\/.*|@tanstack\/.*)(\/.*)?$/,
    ['web'],
    'only web/ runs in a browser',
  ],
];
/**
 * What the browser may be given: none of Node's own modules, nothing that talks to a database or a cluster.
 */
export const webPackages =
  /^(react|react-dom|wouter|openapi-fetch|vite|zod|re2js|diff|@simplewebauthn\/browser|@mantine\/(core|hooks|form)|@tanstack\/react-query|eventsource-parser)(\/.*)?$/;
export const contractPackages = /^(zod|re2js|node:crypto)$/;
