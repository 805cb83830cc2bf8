/**
 * Makes the platform's keys. Make them once and keep them: stored secrets open with these only.
 *   node scripts/make-keys.mjs                      prints them as lines for `.env`,
 *                                                   or for a Kubernetes Secret
 *   node scripts/make-keys.mjs --volumes DIRECTORY  makes those that are missing as files
 *                                                   (docker-compose.yml, as root)
 *   node scripts/make-keys.mjs --print DIRECTORY    prints those that the API sees as lines for
 *                                                   `.env`: a backup of them all
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** User ids of the services. The worker is root without rights, so it reads what root's group may read. */
const users = { platform: 10_100, postgres: 999, temporal: 1000 };
const rootGroup = 0;

const key = () => randomBytes(32).toString('base64');
const oneLine = (pem) => Buffer.from(pem).toString('base64');

function makeApprovalKeys() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    APPROVAL_PRIVATE_KEY: oneLine(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    APPROVAL_PUBLIC_KEY: oneLine(publicKey.export({ type: 'spki', format: 'pem' })),
  };
}

function makeKeys() {
  return {
    MASTER_KEYS: `k1:${key()}`,
    SESSION_KEY_SEED: key(),
    COOKIE_KEY: key(),
    ...makeApprovalKeys(),
  };
}

function print(keys) {
  for (const [name, value] of Object.entries(keys)) {
    console.log(`${name}=${value}`);
  }
}

/** Where each key is in the volumes. */
const files = {
  POSTGRES_PASSWORD: 'postgres/password',
  MASTER_KEYS: 'shared/master_keys',
  SESSION_KEY_SEED: 'shared/session_key_seed',
  COOKIE_KEY: 'api/cookie_key',
  APPROVAL_PRIVATE_KEY: 'api/approval_private_key',
  APPROVAL_PUBLIC_KEY: 'shared/approval_public_key',
};

function readVolumes(root) {
  const { POSTGRES_PASSWORD: _notTheApis, ...own } = files;
  const read = (file) => readFileSync(join(root, file), 'utf8');
  return {
    POSTGRES_PASSWORD: decodeURIComponent(new URL(read('database/url')).password),
    ...Object.fromEntries(Object.entries(own).map(([name, file]) => [name, read(file)])),
  };
}

/**
 * Never changes a complete set, so that two sets are never mixed. Throws when a database
 * exists without its keys.
 */
function fillVolumes(root, postgresPassword) {
  if (!existsSync(join(root, 'shared/complete'))) {
    if (existsSync(join(root, 'postgres-data/18'))) {
      throw new Error(
        'There is a database, and its keys are missing: put the volumes keys-* back from a backup, or remove all volumes to start from scratch.',
      );
    }
    const password = postgresPassword || randomBytes(24).toString('base64url');
    const keys = { POSTGRES_PASSWORD: password, ...makeKeys() };
    write(root, 'database/url', `postgres://platform:${encodeURIComponent(password)}@postgres:5432/platform`);
    for (const [name, file] of Object.entries(files)) {
      write(root, file, keys[name]);
    }
    write(root, 'shared/complete', '');
    console.log('The keys are made. Back up the volumes keys-*: stored secrets open with these only.');
  }
  const owners = {
    shared: users.platform,
    database: users.platform,
    api: users.platform,
    identity: users.platform,
    postgres: users.postgres,
    'postgres-data': users.postgres,
    'postgres-socket': users.postgres,
    'temporal-data': users.temporal,
  };
  for (const [directory, owner] of Object.entries(owners)) {
    mkdirSync(join(root, directory), { recursive: true });
    chownSync(join(root, directory), owner, rootGroup);
    chmodSync(join(root, directory), directory.endsWith('-data') ? 0o700 : 0o750);
  }
}

function write(root, file, content) {
  const owner = file.startsWith('postgres/') ? users.postgres : users.platform;
  const path = join(root, file);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(`${path}.new`, content, { mode: 0o400 });
  chownSync(`${path}.new`, owner, rootGroup);
  chmodSync(`${path}.new`, 0o440);
  renameSync(`${path}.new`, path);
}

const [option, directory, ...more] = process.argv.slice(2);
const actions = {
  '--volumes': () => fillVolumes(directory, process.env.POSTGRES_PASSWORD),
  '--print': () => print(readVolumes(directory)),
};
if (option === undefined) {
  print(makeKeys());
} else if (Object.hasOwn(actions, option) && directory !== undefined && more.length === 0) {
  try {
    actions[option]();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
} else {
  console.error('Usage: node scripts/make-keys.mjs [--volumes DIRECTORY | --print DIRECTORY]');
  process.exitCode = 2;
}
